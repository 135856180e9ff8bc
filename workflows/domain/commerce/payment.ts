import type { CommerceFacts } from './facts.ts'
import { missionOf } from './missions.ts'
import { failed, notNeeded, passed, type Result, unverified } from './result.ts'

/** The payment of a mission by what ledger and chain say of it; what the caller says counts for nothing. */
export function checkPayment({ kind, payment, usage }: CommerceFacts): Result {
  if (payment.kind === 'unknown')
    return failed('payment_unknown', 'no such payment of this agent is on record')
  if (payment.kind === 'free') return notNeeded('the work has no price')
  if (payment.kind === 'none') {
    if (missionOf(kind).payment === 'if_named') return notNeeded(`a ${kind} needs no payment`)
    if (usage === 'synthetic') return notNeeded('synthetic work needs no payment')
    return failed('payment_absent', 'no payment on record covers all of it')
  }
  const { state, order, amountUsd, namedUsd, postedUsd, chainFault } = payment
  if (order === 'other') return failed('payment_of_another_order', 'it paid for something else')
  if (namedUsd !== null && namedUsd !== amountUsd)
    return failed('amount_mismatch', 'the recorded amount is another one')
  if (state === 'presented' || state === 'pending')
    return unverified('payment_pending', `the payment is ${state}`)
  if (state !== 'verified') return failed(`payment_${state}`, `the payment is ${state}`)
  if (postedUsd !== amountUsd)
    return failed('payment_not_posted', 'the ledger did not post the amount of the payment')
  return chainFault === null
    ? passed('the payment is verified and posted')
    : unverified('payment_unconfirmed', chainFault)
}
