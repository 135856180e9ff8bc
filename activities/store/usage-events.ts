import { type Selectable, sql } from 'kysely'
import { type UsageEvent, usageEventHash } from '../../workflows/domain/usage-event.ts'
import type { Tx } from './db.ts'
import type { UsageEventsTable } from './money-tables.ts'

export type NewUsageEvent = Omit<UsageEvent, 'sequence' | 'prev_hash' | 'recorded_at'>
export type StoredUsageEvent = UsageEvent & { hash: string }

/** Serialises the appends to one chain until the transaction ends. */
export async function lockUsageChain(tx: Tx, chain: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`usage:${chain}`}, 0))`.execute(tx)
}

export async function findUsageEvent(tx: Tx, eventId: string): Promise<StoredUsageEvent | undefined> {
  const row = await tx.selectFrom('usage_events').selectAll().where('event_id', '=', eventId).executeTakeFirst()
  return row === undefined ? undefined : eventOf(row)
}

/** Appends an event to its chain, recorded at this time; the caller holds `lockUsageChain`. */
export async function appendUsageEvent(tx: Tx, event: NewUsageEvent, at: Date): Promise<StoredUsageEvent> {
  const last = await tx
    .selectFrom('usage_events')
    .select(['sequence', 'hash'])
    .where('chain', '=', event.chain)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  const place = { sequence: (last?.sequence ?? -1) + 1, prev_hash: last?.hash ?? null }
  const whole: UsageEvent = { ...event, ...place, recorded_at: at.toISOString() }
  const stored = { ...whole, hash: usageEventHash(whole) }
  await tx
    .insertInto('usage_events')
    .values({ ...stored, units: String(stored.units), occurred_at: new Date(stored.occurred_at), recorded_at: at })
    .execute()
  return stored
}

/** A chain from its beginning. */
export async function listUsageEvents(
  tx: Tx,
  chain: string,
  offset: number,
  limit: number,
): Promise<StoredUsageEvent[]> {
  const rows = await tx
    .selectFrom('usage_events')
    .selectAll()
    .where('chain', '=', chain)
    .orderBy('sequence')
    .offset(offset)
    .limit(limit)
    .execute()
  return rows.map(eventOf)
}

const eventOf = (row: Selectable<UsageEventsTable>): StoredUsageEvent => ({
  ...row,
  units: Number(row.units),
  occurred_at: row.occurred_at.toISOString(),
  recorded_at: row.recorded_at.toISOString(),
})
