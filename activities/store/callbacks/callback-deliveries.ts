import { type Selectable, sql } from 'kysely'
import {
  afterAttempt,
  type CallbackOutcome,
  callbackDelayMs,
  callbackDeliveryId,
  hostProofLifeMs,
  isCallbackOpen,
} from '#domain/callbacks/callback.ts'
import type { CallbackSubjectEvent } from '#domain/callbacks/callback-body.ts'
import type { Tx } from '../postgres/db.ts'
import { findFirst, findRow, insertOnce, lockRow, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type DeliveryRow = Selectable<Database['callback_deliveries']>
export type AttemptRow = Selectable<Database['callback_attempts']>
/** The event to deliver, its owner and the target URL. `ordinal` counts the deliveries of one event of one subject. */
export type NewDelivery = {
  owner: string
  event: CallbackSubjectEvent
  subject: string
  ordinal: number
  url: string
}
/**
 * `wait_ms`: time until the next attempt is due, 0 if it is due; `last_failure`: of the last attempt with a known
 * end; `held_back`: delayed by a quota.
 */
export type DeliveryStanding = DeliveryRow & {
  wait_ms: number
  host_proven: boolean
  attempts: number
  last_failure: string | null
  held_back: boolean
}

/** Stores a delivery in the transaction of its event and returns its id. A repeat changes nothing. */
export async function addDelivery(tx: Tx, delivery: NewDelivery): Promise<string> {
  const delivery_id = callbackDeliveryId(delivery.subject, delivery.event, delivery.ordinal)
  await insertOnce(tx, 'callback_deliveries', {
    delivery_id,
    host: new URL(delivery.url).host,
    ...delivery,
  })
  return delivery_id
}

/**
 * Adds another delivery of an event whose previous delivery is closed, to the same or another URL. Returns undefined
 * while one is open.
 */
export async function addRedelivery(
  tx: Tx,
  deliveryId: string,
  url?: string,
): Promise<string | undefined> {
  const notified = await findDelivery(tx, deliveryId)
  if (notified === undefined) return undefined
  const { owner, event, subject } = notified
  const all = await tx
    .selectFrom('callback_deliveries')
    .selectAll()
    .where('subject', '=', subject)
    .where('event', '=', event)
    .forUpdate()
    .execute()
  if (all.some(({ state }) => isCallbackOpen(state))) return undefined
  const ordinal = Math.max(...all.map((row) => row.ordinal)) + 1
  return addDelivery(tx, { owner, event, subject, ordinal, url: url ?? notified.url })
}

export const findDelivery = (tx: Tx, deliveryId: string) =>
  findRow(tx, 'callback_deliveries', { delivery_id: deliveryId })

/** The newest delivery of one event of one subject. */
export const latestDelivery = (tx: Tx, subject: string, event: CallbackSubjectEvent) =>
  findFirst(tx, 'callback_deliveries', { subject, event }, ['ordinal desc'])

/** The delivery, locked until the transaction ends. Undefined if nothing is left to send. */
export async function lockOpenDelivery(
  tx: Tx,
  deliveryId: string,
): Promise<DeliveryRow | undefined> {
  const row = await lockRow(tx, 'callback_deliveries', { delivery_id: deliveryId })
  return row !== undefined && isCallbackOpen(row.state) ? row : undefined
}

/** The status of a delivery, by the clock of Postgres. Undefined if the id is unknown. */
export async function readStanding(
  tx: Tx,
  deliveryId: string,
): Promise<DeliveryStanding | undefined> {
  return tx
    .selectFrom('callback_deliveries as d')
    .selectAll('d')
    .select([
      sql<number>`greatest(0, ceil(extract(epoch from next_attempt_at - clock_timestamp()) * 1000))::float8`.as(
        'wait_ms',
      ),
      sql<boolean>`exists (select 1 from callback_hosts h where h.owner = d.owner and h.host = d.host
        and h.proven_at > clock_timestamp() - ${hostProofLifeMs} * interval '1 millisecond')`.as(
        'host_proven',
      ),
      sql<boolean>`(finished_at is null and held_back_until is not distinct from next_attempt_at)`.as(
        'held_back',
      ),
      sql<number>`(select count(*) from callback_attempts a where a.delivery_id = d.delivery_id)::int`.as(
        'attempts',
      ),
      sql<
        string | null
      >`(select failure from callback_attempts a where a.delivery_id = d.delivery_id and outcome is not null
        order by attempt desc limit 1)`.as('last_failure'),
    ])
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst()
}

/** Stores the request that is about to be sent for a locked delivery. Returns the number of the attempt. */
export async function beginAttempt(
  tx: Tx,
  { delivery_id, failures }: DeliveryRow,
  kind: AttemptRow['kind'],
  body_sha256: string,
): Promise<number> {
  const { attempt } = await tx
    .insertInto('callback_attempts')
    .values((eb) => ({
      delivery_id,
      attempt: eb
        .selectFrom('callback_attempts as earlier')
        .where('earlier.delivery_id', '=', delivery_id)
        .select(({ fn }) => sql<number>`coalesce(${fn.max('earlier.attempt')}, 0) + 1`.as('next')),
      kind,
      failures_before: failures,
      body_sha256,
    }))
    .returning('attempt')
    .executeTakeFirstOrThrow()
  return attempt
}

export type AttemptEnd = { outcome: CallbackOutcome; status: number | null; failure: string | null }

/**
 * Stores the result of an attempt and updates its delivery. A late result changes nothing: one that arrives after
 * another attempt of the same round failed, or after the delivery was closed. An accepted proof request leaves the
 * delivery unchanged.
 */
export async function endAttempt(
  tx: Tx,
  deliveryId: string,
  attempt: number,
  end: AttemptEnd,
): Promise<void> {
  const delivery = await lockOpenDelivery(tx, deliveryId)
  const ended = await tx
    .updateTable('callback_attempts')
    .set({ ...end, ended_at: now })
    .where('delivery_id', '=', deliveryId)
    .where('attempt', '=', attempt)
    .where('outcome', 'is', null)
    .returning(['kind', 'failures_before'])
    .executeTakeFirst()
  if (delivery === undefined || ended === undefined) return
  if (
    end.outcome === 'failed'
      ? delivery.failures !== ended.failures_before
      : ended.kind === 'proof' && end.outcome === 'taken'
  )
    return
  await move(tx, delivery, end.outcome)
}

async function move(tx: Tx, delivery: DeliveryRow, outcome: CallbackOutcome): Promise<void> {
  const { delivery_id } = delivery
  const state = afterAttempt(delivery.state, outcome, delivery.failures)
  const failures = delivery.failures + (outcome === 'failed' ? 1 : 0)
  const delayMs = callbackDelayMs(delivery_id, failures)
  await tx
    .updateTable('callback_deliveries')
    .set({
      state,
      failures,
      next_attempt_at: sql<Date>`clock_timestamp() + ${delayMs} * interval '1 millisecond'`,
      finished_at: isCallbackOpen(state) ? null : now,
    })
    .where('delivery_id', '=', delivery_id)
    .where('state', '=', delivery.state)
    .execute()
}

/** Records that a host has proven that it wants the callbacks of this owner. */
export async function recordProvenHost(tx: Tx, owner: string, host: string): Promise<void> {
  await tx
    .insertInto('callback_hosts')
    .values({ owner, host })
    .onConflict((conflict) =>
      conflict.columns(['owner', 'host']).doUpdateSet({ proven_at: sql`clock_timestamp()` }),
    )
    .execute()
}
