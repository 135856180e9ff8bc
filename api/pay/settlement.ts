import { type AnsweredCall, findCall, requireCall } from '../../activities/store/calls.ts'
import { lookUntil } from '../../activities/store/changes.ts'
import { transaction } from '../../activities/store/db.ts'
import { claimPayment, findPayment, replaceFailedPayment, startSettling } from '../../activities/store/payments.ts'
import { DomainError, type Refusal, refuse } from '../../workflows/domain/errors.ts'
import type { Run } from './run.ts'
import { verifiedPayment } from './turn.ts'

/** For `charge: 'before'`: takes the money of a payment-funded call, so that the handler runs only when it is settled. */
export async function settleBefore(run: Run): Promise<void> {
  const { deps, call } = run
  const row = await requireCall(deps.db, call.callId)
  if (row.payment_id === null) return
  await startSettling(deps.db, row.payment_id)
  const state = await waitSettled(run, row.payment_id)
  if (state === 'failed') throw nothingDone(run)
}

/**
 * Withholds the answer of a call whose effect is done until its payment is settled, and returns the call as it is then. A
 * payment that is proven to have failed leaves a debt: the call is offered again, and a new payment goes under the same
 * grant without a second effect. A read leaves none, because its answer was withheld.
 */
export async function settleDone(run: Run, row: AnsweredCall): Promise<AnsweredCall> {
  const { deps } = run
  if (row.answer_state !== 'done' || row.payment_id === null) return row
  const payment = await findPayment(deps.db, row.payment_id)
  const isRead = run.operation.idempotency.kind === 'read'
  const owed = payment?.state === 'failed' && !isRead ? await payDebt(run, row.payment_id) : row.payment_id
  const state = await waitSettled(run, owed)
  if (state === 'failed') throw isRead ? nothingDone(run) : debtRefusal(run, owed)
  return requireCall(deps.db, row.call_id)
}

/** A refusal of a call whose fee may be on its way says so, whatever it was refused for. */
export async function toldOfFee({ deps, call }: Run, refusal: Refusal): Promise<DomainError> {
  const row = await findCall(deps.db, call.callId)
  const payment = row?.payment_id == null ? undefined : await findPayment(deps.db, row.payment_id)
  const out = payment?.state === 'settling' || payment?.state === 'pending'
  return new DomainError(out ? { ...refusal, money_moved: 'unknown' } : refusal)
}

async function payDebt(run: Run, failedPaymentId: string): Promise<string> {
  const claim = await verifiedPayment(run, { debt: debtOf(run, failedPaymentId) })
  if (claim === 'ours') throw debtRefusal(run, failedPaymentId)
  await transaction(run.deps.db, async (tx) => {
    await claimPayment(tx, claim, run.call.callId, 'settling')
    if (!(await replaceFailedPayment(tx, run.call.callId, claim.paymentId))) {
      throw refuse(
        'idempotency_in_flight',
        'another payment for this call is under way',
        'Repeat the call; it joins.',
        { money_moved: 'unknown' },
      )
    }
  })
  return claim.paymentId
}

const debtOf = (run: Run, paymentId: string) => ({ payment_id: paymentId, operation: run.operation.id })
const debtRefusal = (run: Run, paymentId: string) =>
  run.deps.offers.paymentRequired(run.operation, 'the effect is there, its payment failed', {
    debt: debtOf(run, paymentId),
  })

const nothingDone = ({ deps, operation }: Run) =>
  deps.offers.paymentRequired(operation, 'the payment failed and nothing was done', {})

async function waitSettled(run: Run, paymentId: string): Promise<'settled' | 'failed'> {
  const { deps } = run
  const until = performance.now() + deps.config.SETTLE_WAIT_MS
  await deps.tellPayment(paymentId)
  const state = await lookUntil(deps.changes, paymentId, until - performance.now(), async () => {
    const payment = await findPayment(deps.db, paymentId)
    return payment?.state === 'settled' || payment?.state === 'failed' ? payment.state : undefined
  })
  if (state !== undefined) return state
  throw refuse(
    'settlement_pending',
    'the payment is sent and its outcome is not known yet',
    'Repeat the same call; it joins and is not charged again.',
    { money_moved: 'unknown', retry_after_ms: 1000 },
  )
}
