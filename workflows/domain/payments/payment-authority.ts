import type { PaymentMethod } from '../core/payment-methods.ts'
import { CURRENCY } from '../credit/pricing.ts'
import type { AuthorityType, ReferenceState } from './payment-reference.ts'

/** What a kind of payment authority rests on. */
export type AuthorityRule = {
  /** The method that a payment under it is presented as. */
  method: PaymentMethod
  hosted_by: 'provider' | 'service' | 'wallet_owner'
  /** The one field of the request that carries it. */
  needs: 'provider_session_id' | 'wallet_id' | 'wallet_proof'
  rule: string
}

/** The currencies by which a provider’s event reports a stablecoin of one US dollar. */
const stablecoins: readonly string[] = ['usdc', 'usdt', 'pyusd']

/** Whether an event in this currency pays what is owed: usd, and a stablecoin alone where that is what was authorized. */
export const paysIn = (type: AuthorityType | null | undefined, currency: string): boolean =>
  type === 'stablecoin_checkout' ? stablecoins.includes(currency) : currency === CURRENCY

export const authorityRules: Readonly<Record<AuthorityType, AuthorityRule>> = {
  checkout: {
    method: 'hosted_checkout',
    hosted_by: 'provider',
    needs: 'provider_session_id',
    rule: 'The provider’s session pays exactly the quote’s total, and its signed event says so.',
  },
  stablecoin_checkout: {
    method: 'hosted_checkout',
    hosted_by: 'provider',
    needs: 'provider_session_id',
    rule: 'As checkout, and the provider’s signed event reports the total in a stablecoin at par; an event in usd does not.',
  },
  agent_allowance_reference: {
    method: 'agent_allowance',
    hosted_by: 'service',
    needs: 'wallet_id',
    rule: 'The agent’s own allowance wallet covers the total, within its limits for a run, a day and the rail.',
  },
  wallet_reference: {
    method: 'stablecoin_reference',
    hosted_by: 'wallet_owner',
    needs: 'wallet_proof',
    rule: 'The wallet that pays on chain signs for this challenge and its own transaction of exactly the total.',
  },
}

export type AuthorityDecision = 'authorized' | 'needs_provider' | 'denied'

/** What an authority is worth now: nothing where a reason speaks against it, nothing yet while the provider has not spoken. */
export function decideAuthority(
  type: AuthorityType,
  state: ReferenceState | 'none',
  reasons: readonly string[],
): AuthorityDecision {
  if (state === 'verified') return 'authorized'
  if (reasons.length > 0) return 'denied'
  return authorityRules[type].hosted_by === 'provider' ? 'needs_provider' : 'authorized'
}

const overStates: readonly ReferenceState[] = ['rejected', 'expired', 'disputed', 'refunded']

/** The reason why a reference that is over carries no authority; none for an open or verified one. */
export function overReasons({
  state,
  reason,
}: {
  state: ReferenceState
  reason: string | null
}): string[] {
  if (!overStates.includes(state)) return []
  return [reason === null ? `the payment is ${state}` : `the payment is ${state}: ${reason}`]
}
