import { refuse } from '../core/errors.ts'
import type { PaymentMethod } from '../core/payment-methods.ts'
import { move, type StateTable } from '../core/state-table.ts'
import type { RunUsage } from '../core/usage.ts'

export type EntitlementState = 'pending' | 'funded' | 'consumed' | 'returned'
export type EntitlementEvent = 'fund' | 'exhaust' | 'give_back' | 'restore'

/** The state table of an entitlement. */
export const entitlementTransitions: StateTable<EntitlementState, EntitlementEvent> = {
  pending: { fund: 'funded' },
  funded: { exhaust: 'consumed', give_back: 'returned' },
  consumed: {},
  returned: { restore: 'funded' },
}

/**
 * An account of the double-entry ledger. What an agent holds (`credit`, `wallet`) is never below zero; `debt` is below zero by what a
 * wallet owes, and `clearing` is what the ways of payment brought in, so it runs below zero by as much as the others are above.
 */
export type Account =
  | `credit:${string}`
  | `wallet:${string}`
  | `debt:${string}`
  | `revenue:${string}`
  | 'fees'
  | `clearing:${PaymentMethod}`
  | typeof sandboxAccount
  | typeof freeAccount
  | typeof grantAccount

/** Where the credit of synthetic runs comes from; what they use goes to `revenue:sandbox`, so that test money never mixes with money. */
export const sandboxAccount = 'clearing:sandbox'
/** Where the credit of what is free would come from; nothing is ever posted there. */
export const freeAccount = 'clearing:free'
/** Where the credit that an operator grants comes from. What it pays for is no revenue, and goes to `revenue:operator_grant`. */
export const grantAccount = 'clearing:operator_grant'
export const usageOf = ({ source }: Pick<Entitlement, 'source'>): RunUsage =>
  source === sandboxAccount ? 'synthetic' : 'operational'

export const creditAccount = (entitlementId: string): Account => `credit:${entitlementId}`
export const walletAccount = (walletId: string): Account => `wallet:${walletId}`
export const debtAccount = (walletId: string): Account => `debt:${walletId}`
export const clearingAccount = (method: PaymentMethod): Account => `clearing:${method}`

/** One leg in whole usd: a credit is positive, a debit negative. The legs of one movement sum to zero. */
export type Leg = { account: Account; units: number }

/** Whole usd; `fee_units` is the part of `granted_units` that is the rail fee, `source` the account it was paid from. */
export type Entitlement = {
  entitlement_id: string
  rail: string
  state: EntitlementState
  granted_units: number
  fee_units: number
  consumed_units: number
  returned_units: number
  source: Account | null
}

/** A movement and what it makes of the entitlement. */
export type Movement = { entitlement: Entitlement; legs: Leg[] }

export const remainingUnits = (one: Entitlement): number =>
  one.state === 'pending' ? 0 : one.granted_units - one.consumed_units - one.returned_units

/** From one account to another, all of it. */
export const transferLegs = (from: Account, to: Account, units: number): Leg[] =>
  withoutZeros([
    { account: from, units: -units },
    { account: to, units },
  ])

/** A settlement receipt funds: the whole of what was granted comes from `source`. */
export function fund(one: Entitlement, source: Account): Movement {
  const state = moved(one, 'fund')
  const legs = transferLegs(source, creditAccount(one.entitlement_id), one.granted_units)
  return { entitlement: { ...one, state, source }, legs }
}

/** A usage receipt consumes: revenue and fee get their parts; throws 409 `credit_exhausted` for more than is left. */
export function consume(one: Entitlement, units: number): Movement {
  const left = remainingUnits(one)
  if (units > left) throw creditExhausted(left)
  const consumed_units = one.consumed_units + units
  const legs = withoutZeros([
    { account: creditAccount(one.entitlement_id), units: -units },
    ...earned(one, units),
  ])
  const state = units === left ? moved(one, 'exhaust') : one.state
  return { entitlement: { ...one, state, consumed_units }, legs }
}

/** What the next `units` bring in: revenue and its fee; of the sandbox and of a grant neither. */
function earned(one: Entitlement, units: number): Leg[] {
  if (usageOf(one) === 'synthetic') return [{ account: 'revenue:sandbox', units }]
  if (one.source === grantAccount) return [{ account: 'revenue:operator_grant', units }]
  const fee = feeWithin(one, one.consumed_units + units) - feeWithin(one, one.consumed_units)
  return [
    { account: `revenue:${one.rail}`, units: units - fee },
    { account: 'fees', units: fee },
  ]
}

/** What was not consumed goes back to where it came from; nothing where nothing is left. */
export function giveBack(one: Entitlement): Movement {
  const left = remainingUnits(one)
  if (left === 0 || one.source === null) return { entitlement: one, legs: [] }
  const state = moved(one, 'give_back')
  const legs = transferLegs(creditAccount(one.entitlement_id), one.source, left)
  return { entitlement: { ...one, state, returned_units: one.returned_units + left }, legs }
}

/** The payment was taken back: what is left and what was earned return to the account it was paid from. */
export function refund(one: Entitlement): Movement {
  if (one.source === null)
    throw refuse('wrong_state', {
      detail: 'the credit was never funded',
    })
  const back = giveBack(one)
  const fee = feeWithin(one, one.consumed_units)
  const legs = withoutZeros([
    { account: creditAccount(one.entitlement_id), units: -remainingUnits(one) },
    { account: `revenue:${one.rail}`, units: fee - one.consumed_units },
    { account: 'fees', units: -fee },
    { account: one.source, units: remainingUnits(one) + one.consumed_units },
  ])
  return { entitlement: back.entitlement, legs }
}

/** The refund that posted these legs failed: each goes back, and the credit is as it was. */
export function reverseRefund(one: Entitlement, posted: readonly Leg[]): Movement {
  const legs = posted.map(({ account, units }) => ({ account, units: -units }))
  const credit = creditAccount(one.entitlement_id)
  const restored = legs.find(({ account }) => account === credit)?.units ?? 0
  if (restored === 0) return { entitlement: one, legs }
  const state = moved(one, 'restore')
  return {
    entitlement: { ...one, state, returned_units: one.returned_units - restored },
    legs,
  }
}

/** A payment into a wallet was taken back: what the wallet no longer holds of it, it owes. */
export const reverseTopUp = (
  { walletId, held }: { walletId: string; held: number },
  to: Account,
  units: number,
): Leg[] => {
  const paid = Math.min(held, units)
  return withoutZeros([
    { account: walletAccount(walletId), units: -paid },
    { account: debtAccount(walletId), units: paid - units },
    { account: to, units },
  ])
}

/** What comes into a wallet pays first what it owes. */
export function repayFirst(walletId: string, units: number, owed: number): Leg[] {
  const repaid = Math.min(units, owed)
  return withoutZeros([
    { account: debtAccount(walletId), units: repaid },
    { account: walletAccount(walletId), units: units - repaid },
  ])
}

/** The fee within the first `units`: it grows with them, and is whole when all is consumed. */
const feeWithin = (one: Entitlement, units: number): number =>
  one.granted_units === 0 ? 0 : Math.floor((units * one.fee_units) / one.granted_units)

/** The legs as pairs of a debited and a credited account, as an entitlement shows its postings. */
export function pairLegs(
  legs: readonly Leg[],
): { debit: Account; credit: Account; units: number }[] {
  const debits = legs
    .filter(({ units }) => units < 0)
    .map(({ account, units }) => ({ account, units: -units }))
  const credits = legs.filter(({ units }) => units > 0).map((leg) => ({ ...leg }))
  const pairs: { debit: Account; credit: Account; units: number }[] = []
  for (const debit of debits) {
    for (const credit of credits) {
      const units = Math.min(debit.units, credit.units)
      if (units === 0) continue
      pairs.push({ debit: debit.account, credit: credit.account, units })
      debit.units -= units
      credit.units -= units
    }
  }
  return pairs
}

export const creditExhausted = (left: number) =>
  refuse('credit_exhausted', {
    detail: `${left} units of credit are left`,
    extra: { remaining_units: left },
  })

const moved = (one: Entitlement, event: EntitlementEvent): EntitlementState =>
  move('the entitlement', entitlementTransitions, one.state, event)

const withoutZeros = (legs: Leg[]): Leg[] => legs.filter(({ units }) => units !== 0)
