import { type Selectable, sql } from 'kysely'
import type { ProviderEvent } from '../../workflows/domain/provider-event.ts'
import type { Tx } from './db.ts'
import type { ProviderEventsTable } from './money-tables.ts'

export type ProviderEventRow = Selectable<ProviderEventsTable>
export type EventKey = { provider: string; event_id: string }

/** Stores an event before anything is made of it; false when it was stored before. */
export async function insertProviderEvent(tx: Tx, provider: string, event: ProviderEvent): Promise<boolean> {
  const stored = await tx
    .insertInto('provider_events')
    .values({ provider, ...event, amount_cents: String(event.amount_cents) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id')
    .executeTakeFirst()
  return stored !== undefined
}

export async function findProviderEvent(
  tx: Tx,
  { provider, event_id }: EventKey,
): Promise<ProviderEventRow | undefined> {
  return tx
    .selectFrom('provider_events')
    .selectAll()
    .where('provider', '=', provider)
    .where('event_id', '=', event_id)
    .executeTakeFirst()
}

/** What providers said of one session, or of a challenge, oldest first. */
export async function eventsAbout(
  tx: Tx,
  about: { external_reference: string; challenge_id: string | null },
): Promise<ProviderEventRow[]> {
  return tx
    .selectFrom('provider_events')
    .selectAll()
    .where((is) =>
      is.or([
        is('external_reference', '=', about.external_reference),
        ...(about.challenge_id === null ? [] : [is('challenge_id', '=', about.challenge_id)]),
      ]),
    )
    .orderBy('received_at')
    .execute()
}

/** What became of an event, and of which reference it was. */
export async function recordOutcome(
  tx: Tx,
  { provider, event_id }: EventKey,
  outcome: string,
  referenceId: string | null,
): Promise<void> {
  await tx
    .updateTable('provider_events')
    .set({ outcome, payment_reference_id: referenceId, applied_at: sql<Date>`clock_timestamp()` })
    .where('provider', '=', provider)
    .where('event_id', '=', event_id)
    .execute()
}

/** Events of more than `graceMs` ago that nothing was made of yet. */
export async function listOpenEvents(tx: Tx, graceMs: number, most: number): Promise<EventKey[]> {
  return tx
    .selectFrom('provider_events')
    .select(['provider', 'event_id'])
    .where('applied_at', 'is', null)
    .where('received_at', '<', sql<Date>`clock_timestamp() - ${graceMs} * interval '1 millisecond'`)
    .orderBy('received_at')
    .limit(most)
    .execute()
}

/** The event that settled a payment. */
export async function findSettled(tx: Tx, referenceId: string): Promise<ProviderEventRow | undefined> {
  return tx
    .selectFrom('provider_events')
    .selectAll()
    .where('payment_reference_id', '=', referenceId)
    .where('type', '=', 'payment.settled')
    .orderBy('received_at')
    .limit(1)
    .executeTakeFirst()
}
