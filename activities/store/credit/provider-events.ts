import { type Selectable, sql } from 'kysely'
import type { ReferenceState } from '#domain/payments/payment-reference.ts'
import type { ProviderEvent } from '#domain/payments/provider-event-type.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ProviderEventRow = Selectable<Database['provider_events']>
export type EventKey = { provider: string; event_id: string }

/** Stores an event before it is processed. Returns false if it was already stored. */
export async function insertProviderEvent(
  tx: Tx,
  provider: string,
  event: ProviderEvent,
): Promise<boolean> {
  const stored = await tx
    .insertInto('provider_events')
    .values({
      ...event,
      provider,
      amount_cents: String(event.amount_cents),
      said_at: event.said_at === null ? null : new Date(event.said_at * 1000),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('event_id')
    .executeTakeFirst()
  return stored !== undefined
}

export const findProviderEvent = (tx: Tx, { provider, event_id }: EventKey) =>
  findRow(tx, 'provider_events', { provider, event_id })

/** The names that a provider uses for a payment. Events of any other provider do not count. */
export type SpokenOf = {
  external_reference: string
  challenge_id: string | null
  provider: string | null
}

/**
 * Events about one session or one challenge, oldest first, with later events of the same payment intent. An intent
 * alone settles nothing, because a paid session is reported under its own name.
 */
export async function eventsAbout(
  tx: Tx,
  { external_reference, challenge_id, provider }: SpokenOf,
): Promise<ProviderEventRow[]> {
  const named = (row: string) =>
    sql<boolean>`(${sql.ref(`${row}.external_reference`)} = ${external_reference} or ${sql.ref(`${row}.challenge_id`)} = ${challenge_id})`
  const { rows } = await sql<ProviderEventRow>`
    select e.* from provider_events e
    where (${provider}::text is null or e.provider = ${provider}) and (${named('e')}
      or (${isReturn} and exists (select from provider_events s
        where s.provider = e.provider and s.payment_intent = e.payment_intent and ${named('s')})))
    order by e.received_at, e.event_id`.execute(tx)
  return rows
}

const isReturn = sql.raw(
  "(e.type like 'dispute.%' or e.type in ('payment.refunded','payment.partially_refunded','refund.failed'))",
)

/** The names of the payment that this event is about, and the challenges and wallets that it says are paid by it. */
export async function namesIn(
  tx: Tx,
  event: Pick<
    ProviderEventRow,
    'provider' | 'external_reference' | 'challenge_id' | 'wallet_id' | 'payment_intent'
  >,
): Promise<{ references: string[]; challenges: string[]; wallets: string[] }> {
  const { provider, payment_intent } = event
  const notified =
    payment_intent === null
      ? []
      : await tx
          .selectFrom('provider_events')
          .select(['external_reference', 'challenge_id', 'wallet_id'])
          .where('provider', '=', provider)
          .where('payment_intent', '=', payment_intent)
          .where('type', '=', 'payment.settled')
          .execute()
  const all = [event, ...notified]
  return {
    references: [...new Set(all.map(({ external_reference }) => external_reference))],
    challenges: [...new Set(all.flatMap(({ challenge_id }) => challenge_id ?? []))],
    wallets: [...new Set(all.flatMap(({ wallet_id }) => wallet_id ?? []))],
  }
}

/** Stores the result of an event, and the reference that it belongs to. */
export async function recordOutcome(
  tx: Tx,
  { provider, event_id }: EventKey,
  outcome: string,
  referenceId: string | null,
): Promise<void> {
  await tx
    .updateTable('provider_events')
    .set({ outcome, payment_reference_id: referenceId, applied_at: now })
    .where('provider', '=', provider)
    .where('event_id', '=', event_id)
    .execute()
}

/**
 * Events older than `graceMs` that were not processed yet, that matched nothing because their payment had not been
 * presented, of a payment that names nothing and whose reference was rejected, that waited when another payment settled the
 * reference, and every hour those of money that went back and that were refused.
 */
export async function listOpenEvents(tx: Tx, graceMs: number, most: number): Promise<EventKey[]> {
  const { rows } = await sql<EventKey>`
    select e.provider, e.event_id from provider_events e
    where e.received_at < clock_timestamp() - ${graceMs} * interval '1 millisecond' and (e.applied_at is null
      or (e.outcome = 'unmatched' and exists (select from payment_references r
        where r.state not in ('rejected','expired') and (r.provider is null or r.provider = e.provider)
          and r.method in ('hosted_checkout','payment_reference','invoice_reference')
          and (r.external_reference = e.external_reference or exists (select from provider_events s
            where s.provider = e.provider and s.payment_intent = e.payment_intent and s.type = 'payment.settled'
              and s.external_reference = r.external_reference))))
      or (e.outcome like 'refused\\_%' and ${isReturn} and e.applied_at < clock_timestamp() - interval '1 hour')
      or (e.outcome = 'pending' and exists (select from payment_references r
        where r.payment_reference_id = e.payment_reference_id and (r.settlement_receipt_id is not null
          or (e.challenge_id is null and e.wallet_id is null and r.state in ('rejected','expired'))))))
    order by e.received_at limit ${most}`.execute(tx)
  return rows
}

/** Keys of the events that an operator has to review and has not closed, in order; `<provider>/<event id>`. */
export async function listEventsToSee(
  tx: Tx,
  after: string | null,
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from (select provider || '/' || event_id as key from provider_events e where ${needsAttention}) e
    where key > ${after ?? ''} and not exists (select from exceptions x
      where x.section = 'provider_events' and x.subject = 'event/' || key and x.state = 'closed')
    order by key limit ${most}`.execute(tx)
  return rows.map(({ key }) => key)
}

/** The number of events that wait for an operator. A dispute counts only while it is open. */
export async function countEventsToSee(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from provider_events e
    left join payment_references r on r.payment_reference_id = e.payment_reference_id
    where ${needsAttention} and (e.outcome <> 'disputed' or r.state = 'disputed') and not exists (select from exceptions x
      where x.section = 'provider_events' and x.subject = 'event/' || e.provider || '/' || e.event_id and x.state = 'closed')`.execute(
    tx,
  )
  return rows[0]?.count ?? 0
}

/** What was not simply applied, and a payment that became no credit. */
const needsAttention = sql.raw(
  "(e.outcome like 'refused\\_%' or (e.outcome = 'rejected' and e.type in ('payment.settled','refund.failed')) or e.outcome in ('unmatched','paid_twice','disputed','asked_about','partly_returned','refunded_after_use','restored','refund_failed'))",
)

/** These events, each with the current status of its payment. */
export async function readEvents(
  tx: Tx,
  keys: readonly string[],
): Promise<(ProviderEventRow & { reference_state: ReferenceState | null })[]> {
  if (keys.length === 0) return []
  return tx
    .selectFrom('provider_events')
    .leftJoin(
      'payment_references',
      'payment_references.payment_reference_id',
      'provider_events.payment_reference_id',
    )
    .selectAll('provider_events')
    .select('payment_references.state as reference_state')
    .where(sql<string>`provider_events.provider || '/' || provider_events.event_id`, 'in', keys)
    .execute()
}
