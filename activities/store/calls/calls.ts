import { type Selectable, sql, type Updateable } from 'kysely'
import { type Refusal, refuse } from '#domain/core/errors.ts'
import { CHANGES_CHANNEL, notifyChanged } from '../postgres/changes.ts'
import type { Tx } from '../postgres/db.ts'
import { prepared, type Statement } from '../postgres/prepared.ts'
import { now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'
import { type Lease, leaseEnd } from './leases.ts'

export type CallRow = Selectable<Database['calls']>
/** An answered call: its answer and the fee that is owed for it. */
export type AnsweredCall = Pick<
  CallRow,
  'call_id' | 'answer_state' | 'status' | 'answer' | 'funding' | 'payment_id'
>
/** A locked call row. `locked_at` is the time of Postgres in Unix seconds, with a fraction. */
export type LockedCall = CallRow & { locked_at: number }

export async function findCall(tx: Tx, callId: string): Promise<CallRow | undefined> {
  const [row] = await selectCall(callId).run(tx)
  return row
}

const selectCall = prepared((tx, callId: string) =>
  tx.selectFrom('calls').selectAll().where('call_id', '=', callId),
)
const selectCallForUpdate = prepared((tx, callId: string) =>
  tx
    .selectFrom('calls')
    .selectAll()
    .select(sql<number>`extract(epoch from clock_timestamp())::float8`.as('locked_at'))
    .where('call_id', '=', callId)
    .forUpdate(),
)

/** The row of a granted call. */
export async function requireCall(tx: Tx, callId: string): Promise<CallRow> {
  const [row] = await selectCall(callId).run(tx)
  if (row === undefined) throw new Error(`call ${callId} is not there`)
  return row
}

/** Takes the lease of an open call if the previous lease has expired. Returns false while another attempt holds it. */
export async function takeCallLease(tx: Tx, callId: string, lease: Lease): Promise<boolean> {
  const taken = await tx
    .updateTable('calls')
    .set({ lease_holder: lease.holder, lease_until: leaseEnd(lease.ms) })
    .where('call_id', '=', callId)
    .where('grant_state', '=', 'open')
    .where((or) =>
      or.or([
        or('lease_until', 'is', null),
        or('lease_until', '<', now),
        or('lease_holder', '=', lease.holder),
      ]),
    )
    .returning('call_id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Ends the lease of a call that ended without a final answer, so that a waiting attempt can take over at once. */
export async function dropCallLease(tx: Tx, callId: string, holder: string): Promise<void> {
  await tx
    .updateTable('calls')
    .set({ lease_until: null })
    .where('call_id', '=', callId)
    .where('lease_holder', '=', holder)
    .execute()
  await notifyChanged(tx, callId)
}

/** The call's row, locked until the transaction ends. Undefined if there is none. */
export async function lockCall(tx: Tx, callId: string): Promise<LockedCall | undefined> {
  const [row] = await selectCallForUpdate(callId).run(tx)
  return row
}

/**
 * Returns the locked row of a call whose effect may run for `subject`; refuses with `grant_released` otherwise. A
 * grant that this effect has already used is accepted, because every effect may run twice.
 */
export function assertGrant(row: LockedCall | undefined, subject: string): LockedCall {
  const usable =
    row?.grant_state === 'open' || (row?.grant_state === 'used' && row.subject === subject)
  if (row !== undefined && usable) return row
  throw grantReleased()
}

/** The refusal of a call whose grant is gone. */
export const grantReleased = () =>
  refuse('grant_released', {
    detail: 'the call was given up before its effect ran',
    next_action: 'Repeat the call.',
    money_moved: 'no',
    retry_after_ms: 100,
  })

/** Like `assertGrant`, for a step of a payout. It accepts only a call of its own operation. */
export function assertStepGrant(
  row: LockedCall | undefined,
  payoutId: string,
  operation: 'payout-create' | 'payout-authorize' | 'payout-execute',
): LockedCall {
  const call = assertGrant(row, payoutId)
  if (call.operation === operation) return call
  throw refuse('wrong_state', {
    detail: `the call is a ${call.operation} and not a ${operation}`,
    next_action: `Call ${operation}.`,
    money_moved: 'no',
  })
}

/** Moves the grant from `open` to `used` in the transaction of an effect whose answer comes later. */
export const useGrant = prepared((tx, callId: string, subject: string) =>
  tx
    .updateTable('calls')
    .set({ grant_state: 'used', subject, input: null, refusal: null })
    .where('call_id', '=', callId)
    .where('grant_state', '=', 'open'),
)

/** Keeps why a step of a workflow refused an open call. */
export async function keepRefusal(tx: Tx, callId: string, refusal: Refusal): Promise<void> {
  await tx
    .updateTable('calls')
    .set({ refusal: JSON.stringify(refusal) })
    .where('call_id', '=', callId)
    .where('grant_state', '=', 'open')
    .execute()
}

/** Claims a grant for an effect in the same transaction. Refuses with `grant_released`. */
export async function claimGrant(tx: Tx, callId: string, subject: string): Promise<void> {
  const row = assertGrant(await lockCall(tx, callId), subject)
  if (row.grant_state === 'open') await useGrant(callId, subject).run(tx)
}

/**
 * Stores the first final answer of a call, uses its grant, notifies the waiting processes and passes its payment on
 * to settlement. The answer is `final` unless a payment still has to settle.
 */
export const answerCall = (
  callId: string,
  subject: string,
  status: number,
  answer: Record<string, unknown>,
): Statement => storeAnswer(callId, subject, status, JSON.stringify(answer))

const storeAnswer = prepared(
  (_, callId: string, subject: string, status: number, answer: string) => sql`
  with answered as (
    update calls set grant_state = 'used', subject = coalesce(subject, ${subject}), input = null, refusal = null, status = ${status},
      answer = ${answer}, finished_at = clock_timestamp(),
      answer_state = case when payment_id is null
        or exists (select 1 from payments p where p.payment_id = calls.payment_id and p.state = 'settled') then 'final' else 'done' end
    where call_id = ${callId} and answer_state = 'open' and grant_state <> 'released'
    returning call_id, payment_id),
  charged as (
    update payments set state = 'settling', changed_at = clock_timestamp()
    from answered where payments.payment_id = answered.payment_id and payments.state = 'claimed')
  select pg_notify(${CHANGES_CHANNEL}, call_id) from answered`,
)

/**
 * Releases a call before its effect: `open → released`. The free slot, the proof nonce and the payment become usable
 * again; a settled payment becomes one call credit. Returns true also if another process released the call, and false
 * if the effect has run or the payment may still settle.
 */
export async function releaseCall(tx: Tx, callId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('calls')
    .select(['grant_state', 'payment_id'])
    .where('call_id', '=', callId)
    .forUpdate()
    .executeTakeFirst()
  if (row?.grant_state === 'released') return true
  if (row?.grant_state !== 'open') return false
  return undoGrant(tx, callId, row.payment_id)
}

/**
 * Releases a call whose payment is proven to have failed, if it has no effect yet or is a read whose answer was
 * withheld. The effect of any other call stays, and its fee is owed.
 */
export async function releaseUnpaid(tx: Tx, callId: string): Promise<void> {
  const row = await tx
    .selectFrom('calls')
    .select(['grant_state', 'answer_state', 'subject', 'payment_id'])
    .where('call_id', '=', callId)
    .forUpdate()
    .executeTakeFirst()
  const isWithheldRead = row?.answer_state === 'done' && row.subject === callId
  if (row?.grant_state === 'open' || isWithheldRead) await undoGrant(tx, callId, row.payment_id)
}

/**
 * Refunds a call whose effect is proven to have failed, such as a transfer that can no longer happen: the fee becomes
 * a credit.
 */
export async function refundCall(tx: Tx, callId: string): Promise<void> {
  const row = await tx
    .selectFrom('calls')
    .select(['answer_state', 'payment_id'])
    .where('call_id', '=', callId)
    .forUpdate()
    .executeTakeFirst()
  if (row !== undefined && row.answer_state === 'open') await undoGrant(tx, callId, row.payment_id)
}

/** Reverts a grant and what it used: the proof nonce, the free slot and the payment become usable again. */
export async function undoGrant(
  tx: Tx,
  callId: string,
  paymentId: string | null,
): Promise<boolean> {
  if (paymentId !== null && !(await freePayment(tx, paymentId))) return false
  await tx.deleteFrom('proof_nonces').where('call_id', '=', callId).execute()
  await tx
    .updateTable('calls')
    .set({
      grant_state: 'released',
      answer_state: 'open',
      input: null,
      refusal: null,
      lease_until: null,
      funding: 'none',
      payment_id: null,
    })
    .where('call_id', '=', callId)
    .execute()
  await notifyChanged(tx, callId)
  return true
}

type PaymentState = Database['payments']['state']

function freedColumns(state: PaymentState): Updateable<Database['payments']> {
  if (state === 'settled') return { credit: 'available' }
  if (state === 'claimed') return { state: 'released' }
  return {}
}

/**
 * Frees the payment of a released call. A claimed payment can be presented again, a settled one becomes a credit, and
 * one that may still settle stays with its call.
 */
async function freePayment(tx: Tx, paymentId: string): Promise<boolean> {
  const payment = await tx
    .selectFrom('payments')
    .select('state')
    .where('payment_id', '=', paymentId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (payment.state === 'settling' || payment.state === 'pending') return false
  await tx
    .updateTable('payments')
    .set({
      ...freedColumns(payment.state),
      call_id: null,
      changed_at: now,
    })
    .where('payment_id', '=', paymentId)
    .execute()
  return true
}

/** Open calls whose lease expired at least `graceMs` ago, because their process died. */
export async function listAbandonedCalls(tx: Tx, graceMs: number, most: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('calls')
    .select('call_id')
    .where('grant_state', '=', 'open')
    .where(
      sql<boolean>`coalesce(lease_until, granted_at) < clock_timestamp() - ${graceMs} * interval '1 millisecond'`,
    )
    .limit(most)
    .execute()
  return rows.map((row) => row.call_id)
}
