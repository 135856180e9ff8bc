import { errorCodes } from '#domain/core/error-codes.ts'
import { DomainError, type Refusal, refuse } from '#domain/core/errors.ts'
import { waitPreference } from '#domain/core/preference.ts'
import {
  type AnsweredCall,
  dropCallLease,
  findCall,
  releaseCall,
  requireCall,
} from '../../activities/store/calls/calls.ts'
import { markDelivered } from '../../activities/store/calls/undelivered.ts'
import {
  claimPayment,
  findPayment,
  replaceFailedPayment,
  startSettling,
} from '../../activities/store/payments/payments.ts'
import { lookUntil } from '../../activities/store/postgres/changes.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import type { CallAnswer } from '../context.ts'
import type { Reply } from '../operation.ts'
import type { CallExecution } from './call.ts'
import { bodyOf, checkOutput, contextOf } from './handle.ts'
import { verifyPresentedPayment } from './payment.ts'
import type { Ran } from './run.ts'

/** Settles the payment of a call that ran, and answers it. */
export async function settle(call: CallExecution, ran: Ran): Promise<CallAnswer> {
  switch (ran.kind) {
    case 'read':
      return answerRead(call, ran.reply, { paid: true })
    case 'stored':
      return answerStored(call, await settleCall(call, ran.row), { replayed: false })
    case 'accepted':
      return ran.answer
  }
}

/** For `charge: 'before'`: settles the payment first, so that the handler runs only on a paid call. */
export async function settleBefore(call: CallExecution): Promise<void> {
  const { deps, identity } = call
  const row = await requireCall(deps.db, identity.callId)
  if (row.payment_id === null) return
  await startSettling(deps.db, row.payment_id)
  const state = await waitSettled(call, row.payment_id)
  if (state === 'failed') throw notCharged(call)
}

/**
 * Waits until the payment of a call is settled whose effect is done, and returns its row. A payment that is proven to have failed
 * leaves a debt: the caller may pay again for the same grant, and the effect does not run a second time. A read leaves no debt,
 * because its answer was withheld.
 */
export async function settleCall(call: CallExecution, row: AnsweredCall): Promise<AnsweredCall> {
  const { deps } = call
  if (row.answer_state !== 'done' || row.payment_id === null) return row
  const payment = await findPayment(deps.db, row.payment_id)
  const isRead = call.operation.idempotency.kind === 'read'
  const owed =
    payment?.state === 'failed' && !isRead ? await payDebt(call, row.payment_id) : row.payment_id
  const state = await waitSettled(call, owed)
  if (state === 'failed') throw isRead ? notCharged(call) : debtRefusal(call, owed)
  return requireCall(deps.db, row.call_id)
}

/** The answer in the call's row; a `replayed` one goes out as it was stored, unless it is given once. */
export async function answerStored(
  call: CallExecution,
  row: AnsweredCall,
  { replayed }: { replayed: boolean },
): Promise<CallAnswer> {
  if (row.answer === null || row.status === null) throw new Error('a final call has no answer')
  const { refuseRepeat } = call.operation
  if (replayed && refuseRepeat !== undefined) throw refuseRepeat(row.answer)
  const headers = await paymentHeaders(call, row)
  const answer = (await call.operation.reveal?.(row.answer, contextOf(call, false))) ?? row.answer
  if (!replayed) return { status: row.status, headers, body: checkOutput(call.operation, answer) }
  return {
    status: row.status,
    headers: { ...headers, 'Idempotent-Replayed': 'true' },
    body: answer,
  }
}

/** The answer of a read, which is worked out each time and sent once the read is paid for. */
export async function answerRead(
  call: CallExecution,
  reply: Reply<unknown>,
  { paid }: { paid: boolean },
): Promise<CallAnswer> {
  const { deps, operation } = call
  const { status = operation.status[0], body: read } = bodyOf(operation, reply)
  const body = checkOutput(operation, read)
  if (!paid) return { status, ...(await waitForChange(call, body, {})) }
  const row = await settleCall(call, await requireCall(deps.db, call.identity.callId))
  // A granted read is final. This one is open, so it was given up.
  if (row.answer_state === 'open') throw givenUp()
  const headers = await paymentHeaders(call, row)
  const answer = { status, ...(await waitForChange(call, body, headers)) }
  if (row.funding === 'payment' && !(await markDelivered(deps.db, row.call_id))) throw givenUp()
  return answer
}

/** A granted read may wait for the next change: `Prefer: wait` (RFC 7240). No transaction is open meanwhile. */
async function waitForChange(
  call: CallExecution,
  read: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<{ headers: Record<string, string>; body: Record<string, unknown> }> {
  const { next } = call.operation
  const seconds = next === undefined ? undefined : waitPreference(call.request.headers['prefer'])
  if (next === undefined || seconds === undefined) return { headers, body: read }
  const changed = await next(call.input, contextOf(call, false), { read, ms: seconds * 1000 })
  return {
    headers: { ...headers, 'Preference-Applied': `wait=${seconds}` },
    body: checkOutput(call.operation, changed),
  }
}

const givenUp = () =>
  refuse('wallet_proof_expired', {
    detail: 'the call was given up before its answer left; a charge that settled is a credit',
    next_action: 'Sign a new call; a credit pays for it.',
  })

async function paymentHeaders(
  { deps }: CallExecution,
  row: AnsweredCall,
): Promise<Record<string, string>> {
  if (row.funding !== 'payment' || row.payment_id === null) return {}
  const payment = await findPayment(deps.db, row.payment_id)
  return payment?.state === 'settled' ? deps.offers.paymentResponse(payment) : {}
}

/** Refusals with a status of 500 or more that prove that nothing happened. */
const withoutEffect = new Set<Refusal['code']>(['paused', 'contention'])

/**
 * Gives the grant up after a proven refusal, such as one before anything began. After any other failure the effect may still run, so a
 * repeat has to join it. Returns the error as the caller has to read it.
 */
export async function giveUp(
  call: CallExecution,
  error: unknown,
  begun: boolean,
): Promise<unknown> {
  const { deps, identity, holder } = call
  const refusal = error instanceof DomainError ? error.refusal : undefined
  const proven =
    refusal !== undefined &&
    (!begun || errorCodes[refusal.code].status < 500 || withoutEffect.has(refusal.code))
  const released = proven && (await transaction(deps.db, (tx) => releaseCall(tx, identity.callId)))
  if (!released) await dropCallLease(deps.db, identity.callId, holder).catch(() => undefined)
  if (refusal === undefined) return error
  // A grant that could not be given up was used, by this attempt or by the one that led before.
  const isUsed = proven && !released && !asksForDebt(refusal)
  return refusalAfterFee(call, isUsed ? withUnknownOutcome(refusal) : refusal)
}

/** The refusal as an error; it says so where the fee of the call may be on its way. */
async function refusalAfterFee(
  { deps, identity }: CallExecution,
  refusal: Refusal,
): Promise<DomainError> {
  const row = await findCall(deps.db, identity.callId)
  const payment = row?.payment_id == null ? undefined : await findPayment(deps.db, row.payment_id)
  const out = payment?.state === 'settling' || payment?.state === 'pending'
  return new DomainError(out ? withUnknownOutcome(refusal) : refusal)
}

/**
 * The refusal of a call whose effect or fee may have happened. One that asks for a payment would ask for a second one: the caller
 * repeats the call instead.
 */
export function withUnknownOutcome(refusal: Refusal): Refusal {
  if (errorCodes[refusal.code].status !== 402) return { ...refusal, money_moved: 'unknown' }
  return refuse('settlement_pending', {
    detail: 'another attempt of this call may be paying for it',
    money_moved: 'unknown',
    retry_after_ms: 1000,
  }).refusal
}

/** Whether the payment of a call that had its effect is proven to have failed, so that a new one is owed for it. */
const asksForDebt = ({ code, extra }: Refusal): boolean =>
  errorCodes[code].status === 402 && extra?.['debt'] !== undefined

async function payDebt(call: CallExecution, failedPaymentId: string): Promise<string> {
  const claim = await verifyPresentedPayment(call, { debt: debtOf(call, failedPaymentId) })
  if (claim === 'ours') throw debtRefusal(call, failedPaymentId)
  await transaction(call.deps.db, async (tx) => {
    await claimPayment(tx, claim, call.identity.callId, 'settling')
    if (!(await replaceFailedPayment(tx, call.identity.callId, claim.paymentId))) {
      throw refuse('idempotency_in_flight', {
        detail: 'another payment for this call is under way',
        money_moved: 'unknown',
      })
    }
  })
  return claim.paymentId
}

const debtOf = (call: CallExecution, paymentId: string) => ({
  payment_id: paymentId,
  operation: call.operation.id,
})
const debtRefusal = (call: CallExecution, paymentId: string) =>
  call.deps.offers.paymentRequired(call.operation, 'the effect happened, and its payment failed', {
    debt: debtOf(call, paymentId),
  })

const notCharged = ({ deps, operation }: CallExecution) =>
  deps.offers.paymentRequired(operation, 'the payment failed and nothing was done', {})

async function waitSettled(call: CallExecution, paymentId: string): Promise<'settled' | 'failed'> {
  const { deps } = call
  const until = performance.now() + deps.config.SETTLE_WAIT_MS
  await deps.notifyPayment(paymentId)
  const state = await lookUntil(deps.changes, paymentId, until - performance.now(), async () => {
    const payment = await findPayment(deps.db, paymentId)
    return payment?.state === 'settled' || payment?.state === 'failed' ? payment.state : undefined
  })
  if (state !== undefined) return state
  throw settlementPending()
}

export const settlementPending = () =>
  refuse('settlement_pending', {
    detail: 'the payment is sent and its outcome is not known yet',
    money_moved: 'unknown',
    retry_after_ms: 1000,
  })
