import { type Selectable, sql } from 'kysely'
import { type UsageEvent, usageEventHash } from '#domain/credit/usage-event.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow, insertRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type NewUsageEvent = Omit<UsageEvent, 'sequence' | 'prev_hash' | 'recorded_at'>
export type StoredUsageEvent = UsageEvent & { hash: string }

/** Serialises the appends to one chain until the transaction ends. */
export async function lockUsageChain(tx: Tx, chain: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`usage:${chain}`}, 0))`.execute(tx)
}

/** How many events a chain has, by the sequence of its last one. */
export async function lengthOfChain(tx: Tx, chain: string): Promise<number> {
  const last = await tx
    .selectFrom('usage_events')
    .select('sequence')
    .where('chain', '=', chain)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last === undefined ? 0 : last.sequence + 1
}

export async function findUsageEvent(
  tx: Tx,
  eventId: string,
): Promise<StoredUsageEvent | undefined> {
  const row = await findRow(tx, 'usage_events', { event_id: eventId })
  return row === undefined ? undefined : eventOf(row)
}

/** Appends an event to its chain with this time. The caller holds `lockUsageChain`. */
export async function appendUsageEvent(
  tx: Tx,
  event: NewUsageEvent,
  at: Date,
): Promise<StoredUsageEvent> {
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
  await insertRow(tx, 'usage_events', {
    ...stored,
    units: String(stored.units),
    occurred_at: new Date(stored.occurred_at),
    recorded_at: at,
  })
  return stored
}

/** Filters of an agent's own events. */
export type UsageFilter = {
  agentId: string
  eventId?: string | undefined
  entitlementId?: string | undefined
}

const matching = (tx: Tx, { agentId, eventId, entitlementId }: UsageFilter) =>
  tx
    .selectFrom('usage_events')
    .where('agent_id', '=', agentId)
    .$if(eventId !== undefined, (query) => query.where('event_id', '=', eventId ?? ''))
    .$if(entitlementId !== undefined, (query) => query.where('chain', '=', entitlementId ?? ''))

/** Events, newest first. */
export async function listUsageOf(
  tx: Tx,
  filter: UsageFilter,
  offset: number,
  limit: number,
): Promise<StoredUsageEvent[]> {
  const rows = await matching(tx, filter)
    .selectAll()
    .orderBy('recorded_at', 'desc')
    .orderBy('chain')
    .orderBy('sequence', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  return rows.map(eventOf)
}

/** The number of events, the credit that they used in whole USD, and their quantities by unit. */
export async function sumUsageOf(tx: Tx, filter: UsageFilter) {
  const rows = await matching(tx, filter)
    .select([
      'unit',
      sql<number>`count(*)::int`.as('events'),
      sql<string>`sum(units)::text`.as('units'),
    ])
    .select(sql<number>`sum(credit_units)::int`.as('credit_units'))
    .groupBy('unit')
    .orderBy('unit')
    .execute()
  return {
    total: rows.reduce((sum, { events }) => sum + events, 0),
    credit_units: rows.reduce((sum, { credit_units }) => sum + credit_units, 0),
    by_unit: rows.map(({ unit, units }) => ({ unit, units })),
  }
}

/** The event that the hash of the row covers. */
const eventOf = ({
  record_kind: _kind,
  ...row
}: Selectable<Database['usage_events']>): StoredUsageEvent => ({
  ...row,
  units: Number(row.units),
  occurred_at: row.occurred_at.toISOString(),
  recorded_at: row.recorded_at.toISOString(),
})
