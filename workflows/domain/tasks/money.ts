import type { ReasonCode, ReferenceState } from '../payments/payment-reference.ts'
import type { TaskExceptionCode } from './exception.ts'
import type { TaskState } from './lifecycle.ts'
import type { OwnMove } from './terms.ts'

/** The stored facts of a task's money. Times are RFC 3339 UTC. */
export type CreditFacts = {
  quoteId: string
  quoteEndsAt: string
  quoteLives: boolean
  entitlementId: string
  /** The challenge that can still be paid, or is being paid. */
  challenge: { id: string; endsAt: string } | null
  /** Of credit that is there to be used. */
  settlementReceiptId: string | null
  /** Of the payment that funded the credit, used or not. */
  fundingReceiptId: string | null
  /** Of credit that was used. */
  usageReceiptId: string | null
  /** The reason why work for this credit must stop. */
  trouble: {
    code: Extract<TaskExceptionCode, 'payment_reversed' | 'credit_mismatch'>
    detail: string
  } | null
}

/** The open exception of a task, and the state in which it was raised. */
export type Stopped = { code: TaskExceptionCode; resumeState: TaskState | null }

/**
 * The next transition that the stored money of a task demands. Money is stored before the task is notified, so a task that missed a
 * notification catches up here. Money that comes late is still good: it takes the task out of its lapse.
 */
export function moneyMove(
  state: TaskState,
  credit: CreditFacts | null,
  stopped: Stopped | undefined,
): OwnMove | undefined {
  if (credit === null) return undefined
  const { settlementReceiptId, fundingReceiptId, usageReceiptId } = credit
  const { entitlementId, challenge, trouble } = credit
  const funded = settlementReceiptId !== null && trouble === null
  const freed = stopped !== undefined && funded && waitsForMoney(stopped)
  switch (state) {
    case 'trusted':
      if (!credit.quoteLives && !funded) return undefined
      return {
        event: 'quote_issued',
        data: { quote_id: credit.quoteId, expires_at: credit.quoteEndsAt },
      }
    case 'quoted': {
      const data = { entitlement_id: entitlementId }
      if (challenge !== null) {
        const named = { challenge_id: challenge.id, expires_at: challenge.endsAt }
        return { event: 'credit_requested', data: { ...data, ...named } }
      }
      return funded ? { event: 'credit_requested', data } : undefined
    }
    case 'credit_pending':
      if (trouble !== null) return { event: 'exception_raised', data: trouble }
      if (!funded) return undefined
      return { event: 'credit_funded', data: { settlement_receipt_id: settlementReceiptId } }
    case 'exception_open':
      if (!freed) return undefined
      return { event: 'replay_prepared', data: { action: 'replay' } }
    case 'replay_ready':
      return freed ? { event: 'replayed', data: {} } : undefined
    default:
      if (trouble !== null && worksForMoney.includes(state))
        return { event: 'exception_raised', data: trouble }
      if (state !== 'attested' || usageReceiptId === null) return undefined
      return {
        event: 'receipts_issued',
        data: {
          usage_receipt_id: usageReceiptId,
          ...(fundingReceiptId === null ? {} : { settlement_receipt_id: fundingReceiptId }),
        },
      }
  }
}

type Trouble = CreditFacts['trouble']

/** The fault of the money: it was taken back, has another amount than was owed, or is missing when a result is charged. */
export function moneyTrouble(
  state: TaskState,
  paid: {
    uncharged: boolean
    referenceState: ReferenceState | null
    reason: string | null
    reasonCode: ReasonCode | null
    reversedBefore: boolean
  },
): Trouble {
  const { uncharged, referenceState, reason } = paid
  // Charged work is stopped once: an operator may let it continue.
  const reversed = referenceState === 'refunded' || referenceState === 'disputed'
  if (reversed && (uncharged || !paid.reversedBefore))
    return { code: 'payment_reversed', detail: reason ?? 'the payment was taken back' }
  const isWrongAmount = referenceState === 'pending' && paid.reasonCode === 'amount_mismatch'
  if (state === 'credit_pending' && isWrongAmount)
    return { code: 'credit_mismatch', detail: reason ?? 'the payment has another amount' }
  if (state === 'attested' && uncharged)
    return { code: 'credit_mismatch', detail: 'the credit that was set aside is not there' }
  return null
}

/** Whether an exception means only that the money was missing. */
const waitsForMoney = ({ code, resumeState }: Stopped): boolean =>
  (code === 'deadline_passed' && (resumeState === 'trusted' || resumeState === 'quoted')) ||
  (code === 'credit_mismatch' && resumeState === 'credit_pending')

/** The states that need credit. */
const worksForMoney: readonly TaskState[] = [
  'credit_funded',
  'queued',
  'operating',
  'evidence_partial',
  'result_ready',
  'attested',
  'receipt_issued',
  'callback_pending',
  'callback_delivered',
]
