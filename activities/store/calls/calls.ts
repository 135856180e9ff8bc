import { type Selectable, sql, type Updateable } from 'kysely'
import { refuse } from '#domain/core/errors.ts'
import type { Tx } from '../postgres/db.ts'
import { CHANGES_CHANNEL, notifyChanged } from '../postgres/notify.ts'
import { prepared, type Statement } from '../postgres/prepared.ts'
import type { Database } from '../schema/schema.ts'
import { type Lease, leaseEnd } from './call-lease.ts'

/** Postgres carries less than 8,000 bytes in a notification, ids included. */
const NOTIFIED_BYTES_MAX = 7_500

export type CallRow = Selectable<Database['calls']>
/** A call that is answered: what its caller gets, and what is owed for it. */
export type AnsweredCall = Pick<
  CallRow,
  'call_id' | 'answer_state' | 'status' | 'answer' | 'funding' | 'payment_id'
>
/** A call's row as it is locked, and when that was: Postgres' clock in Unix seconds with a fraction. */
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

/** The row of a call that was granted. */
export async function requireCall(tx: Tx, callId: string): Promise<CallRow> {
  const [row] = await selectCall(callId).run(tx)
  if (row === undefined) throw new Error(`call ${callId} is not there`)
  return row
}

/** Takes over an open call whose holder's lease has lapsed; false while another attempt works on it. */
export async function takeCallLease(tx: Tx, callId: string, lease: Lease): Promise<boolean> {
  const taken = await tx
    .updateTable('calls')
    .set({ lease_holder: lease.holder, lease_until: leaseEnd(lease.ms) })
    .where('call_id', '=', callId)
    .where('grant_state', '=', 'open')
    .where((or) =>
      or.or([
        or('lease_until', 'is', null),
        or('lease_until', '<', sql<Date>`clock_timestamp()`),
        or('lease_holder', '=', lease.holder),
      ]),
    )
    .returning('call_id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Lets a joiner take over at once, after a call that ended without a final answer. */
export async function dropCallLease(tx: Tx, callId: string, holder: string): Promise<void> {
  await tx
    .updateTable('calls')
    .set({ lease_until: null })
    .where('call_id', '=', callId)
    .where('lease_holder', '=', holder)
    .execute()
  await notifyChanged(tx, callId)
}

/** The call's row, locked until the transaction ends; undefined when there is none. */
export async function lockCall(tx: Tx, callId: string): Promise<LockedCall | undefined> {
  const [row] = await selectCallForUpdate(callId).run(tx)
  return row
}

/**
 * The locked row of a call whose effect may run for `subject`, else `grant_released`. A grant that this very effect used
 * before is accepted again, because every effect may run twice.
 */
export function assertGrant(row: LockedCall | undefined, subject: string): LockedCall {
  const usable =
    row?.grant_state === 'open' || (row?.grant_state === 'used' && row.subject === subject)
  if (row !== undefined && usable) return row
  throw refuse('grant_released', {
    detail: 'the call was given up before its effect ran',
    next_action: 'Repeat the call.',
    money_moved: 'no',
    retry_after_ms: 100,
  })
}

/** The same for a step of a payout, which accepts only a call of its own operation. */
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

/** `open → used`, in the effect's own transaction, for an effect whose answer comes later. */
export const useGrant = prepared((tx, callId: string, subject: string) =>
  tx
    .updateTable('calls')
    .set({ grant_state: 'used', subject, input: null })
    .where('call_id', '=', callId)
    .where('grant_state', '=', 'open'),
)

/** Claims a grant for an effect that is written in the same transaction; refuses with `grant_released`. */
export async function claimGrant(tx: Tx, callId: string, subject: string): Promise<void> {
  const row = assertGrant(await lockCall(tx, callId), subject)
  if (row.grant_state === 'open') await useGrant(callId, subject).run(tx)
}

/**
 * Stores the first final answer of a call and uses its grant up, wakes who waits for it, and hands its payment over to
 * settlement. The answer is `final` at once unless a payment is still to be settled for it; a waiting call is notified of an answer that
 * nothing is owed for, and has nothing to read (`answerTold`).
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
    update calls set grant_state = 'used', subject = coalesce(subject, ${subject}), input = null, status = ${status},
      answer = ${answer}, finished_at = clock_timestamp(),
      answer_state = case when payment_id is null
        or exists (select 1 from payments p where p.payment_id = calls.payment_id and p.state = 'settled') then 'final' else 'done' end
    where call_id = ${callId} and answer_state = 'open' and grant_state <> 'released'
    returning call_id, payment_id, status, answer),
  charged as (
    update payments set state = 'settling', changed_at = clock_timestamp()
    from answered where payments.payment_id = answered.payment_id and payments.state = 'claimed')
  select pg_notify(${CHANGES_CHANNEL}, call_id ||
    case when payment_id is null and octet_length(answer::text) < ${sql.lit(NOTIFIED_BYTES_MAX)} then ' ' || status || ' ' || answer else '' end)
  from answered`,
)

/** The answer that a notification of the call brought along, of one that no payment is for; undefined where it brought none. */
export function answerIn(call_id: string, notified: string): AnsweredCall | undefined {
  if (notified === '') return undefined
  const [status = ''] = notified.split(' ', 1)
  const answer = JSON.parse(notified.slice(status.length + 1))
  return {
    call_id,
    answer_state: 'final',
    status: Number(status),
    answer,
    funding: 'none',
    payment_id: null,
  }
}

/**
 * Gives a call up before its effect: `open → released`. The free slot, the proof nonce and the payment are usable again;
 * a payment that is settled already becomes one call credit. True also where another leader of the call has given it up; false when
 * the effect has run, or its payment may still settle.
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
 * Gives up a call whose payment is proven to have failed: one without an effect yet, and a read, whose answer was withheld. What
 * any other call did stays, and its fee is owed.
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

/** Undoes a grant whose effect is proven to have come to nothing, such as a transfer that died: the fee becomes a credit. */
export async function refundCall(tx: Tx, callId: string): Promise<void> {
  const row = await tx
    .selectFrom('calls')
    .select(['answer_state', 'payment_id'])
    .where('call_id', '=', callId)
    .forUpdate()
    .executeTakeFirst()
  if (row !== undefined && row.answer_state === 'open') await undoGrant(tx, callId, row.payment_id)
}

/** Undoes a grant and its effects: the proof nonce, the free slot and the payment are free again. */
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

/** A claimed payment can be presented again. A settled one becomes a credit. One that may settle stays with its call. */
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
      changed_at: sql<Date>`clock_timestamp()`,
    })
    .where('payment_id', '=', paymentId)
    .execute()
  return true
}

/** Open calls whose process died: their lease lapsed at least `graceMs` ago. */
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
