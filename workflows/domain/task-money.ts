import { AMOUNT_MISMATCH, type ReferenceState } from './payment-reference.ts'
import type { TaskExceptionCode } from './task-exception.ts'
import type { TaskState } from './task-lifecycle.ts'
import type { OwnMove } from './task-moves.ts'

/** What is stored of a task's money. Times are RFC 3339 UTC. */
export type CreditFacts = {
  quoteId: string
  quoteEndsAt: string
  quoteLives: boolean
  entitlementId: string
  /** The challenge that can still be met, or is being met. */
  challenge: { id: string; endsAt: string } | null
  /** Of credit that is there to be used. */
  settlementReceiptId: string | null
  /** Of credit that was used. */
  usageReceiptId: string | null
  /** Why work cannot go on for this credit. */
  trouble: { code: Extract<TaskExceptionCode, 'payment_reversed' | 'credit_mismatch'>; detail: string } | null
}

/** What stops a task: its open exception, and where that was raised. */
export type Stopped = { code: TaskExceptionCode; resumeState: TaskState | null }

/**
 * The move that a task owes to its money, which is stored before the task is told: whenever somebody looks, the task catches up.
 * What is funded is never too late: it takes a task out of the lapse that it came after.
 */
export function moneyMove(
  state: TaskState,
  credit: CreditFacts | null,
  stopped: Stopped | undefined,
): OwnMove | undefined {
  if (credit === null) return undefined
  const { settlementReceiptId, entitlementId, challenge, usageReceiptId, trouble } = credit
  const funded = settlementReceiptId !== null && trouble === null
  const freed = stopped !== undefined && funded && waitsForMoney(stopped)
  switch (state) {
    case 'trusted':
      if (!credit.quoteLives && !funded) return undefined
      return { event: 'quote_issued', data: { quote_id: credit.quoteId, expires_at: credit.quoteEndsAt } }
    case 'quoted': {
      const named = challenge === null ? {} : { challenge_id: challenge.id, expires_at: challenge.endsAt }
      if (challenge === null && !funded) return undefined
      return { event: 'credit_requested', data: { entitlement_id: entitlementId, ...named } }
    }
    case 'credit_pending':
      if (trouble !== null) return { event: 'exception_raised', data: trouble }
      if (!funded) return undefined
      return { event: 'credit_funded', data: { settlement_receipt_id: settlementReceiptId } }
    case 'exception_open':
      return freed ? { event: 'replay_prepared', data: { action: 'replay' } } : undefined
    case 'replay_ready':
      return freed ? { event: 'replayed', data: {} } : undefined
    default:
      if (trouble !== null && worksForMoney.includes(state)) return { event: 'exception_raised', data: trouble }
      if (state !== 'attested' || usageReceiptId === null) return undefined
      return { event: 'receipts_issued', data: { usage_receipt_id: usageReceiptId } }
  }
}

type Trouble = CreditFacts['trouble']

/** What is wrong with the money: taken back, another amount than was owed, or not there where a result is to be charged. */
export function moneyTrouble(
  state: TaskState,
  paid: { uncharged: boolean; referenceState: ReferenceState | null; reason: string | null; reversedBefore: boolean },
): Trouble {
  const { uncharged, referenceState, reason } = paid
  // Of work that is charged it is told once: an operator may let it go on.
  const reversed = referenceState === 'refunded' || referenceState === 'disputed'
  if (reversed && (uncharged || !paid.reversedBefore))
    return { code: 'payment_reversed', detail: reason ?? 'the payment was taken back' }
  if (state === 'credit_pending' && referenceState === 'pending' && reason?.startsWith(AMOUNT_MISMATCH) === true)
    return { code: 'credit_mismatch', detail: reason }
  if (state === 'attested' && uncharged)
    return { code: 'credit_mismatch', detail: 'the credit that was set aside is not there' }
  return null
}

/** An exception that only ever meant that the money had not come. */
const waitsForMoney = ({ code, resumeState }: Stopped): boolean =>
  (code === 'deadline_passed' && (resumeState === 'trusted' || resumeState === 'quoted')) ||
  (code === 'credit_mismatch' && resumeState === 'credit_pending')

/** States that a task has only while its credit is there. */
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
