import { errorCodes } from '#domain/core/error-codes.ts'
import { DomainError, type Refusal, refuse } from '#domain/core/errors.ts'
import { type AnsweredCall, findCall, requireCall } from '../../activities/store/calls/calls.ts'
import {
  claimPayment,
  findPayment,
  replaceFailedPayment,
  startSettling,
} from '../../activities/store/payments/payments.ts'
import { lookUntil } from '../../activities/store/postgres/changes.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import type { CallExecution } from './call.ts'
import { verifyPresentedPayment } from './presented-payment.ts'

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

/** The refusal as an error; it says so where the fee of the call may be on its way. */
export async function refusalAfterFee(
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
export const asksForDebt = ({ code, extra }: Refusal): boolean =>
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
