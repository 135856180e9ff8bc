import { settlesNothing } from '#domain/ap2/mandates.ts'
import { refuse } from '#domain/core/errors.ts'
import type { PaymentMethod } from '#domain/core/payment-methods.ts'
import { pairLegs, remainingUnits } from '#domain/credit/credit.ts'
import { BADGE_FEE, CURRENCY, type QuoteLine } from '#domain/credit/pricing.ts'
import {
  acceptedMethods,
  type ChallengeState,
  confirmedBy,
  paymentPaths,
} from '#domain/payments/payment-reference.ts'
import { railOf } from '#domain/rails/index.ts'
import { isRail, type RailKey, type Tier } from '#domain/rails/rail.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { offeredAs } from '../../../activities/credit/presenting.ts'
import type { EntitlementRow } from '../../../activities/store/credit/entitlements.ts'
import type { PostedLeg } from '../../../activities/store/credit/postings.ts'
import type { QuoteRow } from '../../../activities/store/credit/quotes.ts'
import type { ChallengeRow } from '../../../activities/store/payments/challenges.ts'
import type { ReferenceRow } from '../../../activities/store/payments/payment-references.ts'
import { PaymentReference, Quote } from '../../shapes/payments.ts'
import { viewOf } from '../../view.ts'

const tierTerms = (rail: RailKey, tier: Tier) => ({ ...railOf(rail).tiers[tier] })

/** The quote of a badge as callers see it. */
export function badgeQuoteView({ quote_id, units, total_usd, expires_at }: QuoteRow) {
  const price = { months: units, total_usd, currency: CURRENCY, pricing_model: BADGE_FEE }
  return { quote_id, fee_item: BADGE_FEE, ...price, expires_at: expires_at.toISOString() }
}

/** A quote of runs as callers see it; 404 for one of anything else. */
export function quoteView({ rail, ...quote }: QuoteRow) {
  if (!isRail(rail))
    throw refuse('not_found', {
      detail: 'the quote is not of a run',
      next_action: 'Read it where it was asked for.',
    })
  const tier_terms = tierTerms(rail, quote.tier)
  return viewOf(Quote, { ...quote, rail, currency: CURRENCY, tier_terms })
}

/** The lines of a stored quote, as `priceOf` gave them. */
export function linesOf({ rail, tier, units, base_usd, rail_fee_usd }: QuoteRow): QuoteLine[] {
  const lines = [{ item: `${rail} ${tier}${units === 1 ? '' : ` × ${units}`}`, usd: base_usd }]
  return rail_fee_usd === 0 ? lines : [...lines, { item: 'micro_routing_fee', usd: rail_fee_usd }]
}

const nextOf: Record<ChallengeState, string> = {
  open: 'Pay in one of the accepted ways, then present the payment at POST /api/agent-payment-rail.',
  pending: 'Read the payment reference until it is decided; do not pay again.',
  settled: 'Use the credit of its entitlement.',
  expired: 'Open a new challenge for the quote.',
}

/** A challenge as callers see it; `accepts` are its x402 terms, for exactly its amount. */
export function challengeView(
  { offers, providers }: Pick<MoneyDeps, 'offers'> & { providers: readonly string[] },
  challenge: ChallengeRow,
) {
  const { challenge_id, quote_id, entitlement_id, amount_usd, expires_at } = challenge
  const state = challenge.state === 'open' && challenge.lapsed ? 'expired' : challenge.state
  return {
    challenge_id,
    quote_id,
    entitlement_id,
    state,
    amount_usd,
    currency: CURRENCY,
    accepted_methods: acceptedMethods(providers),
    payment_paths: [...paymentPaths],
    accepts: [{ ...offers.requirements(offeredAs(challenge)) }],
    checkout_url: null,
    reference_instructions: `Pay exactly ${amount_usd} ${CURRENCY} and name ${challenge_id} as what it is for.`,
    expires_at: expires_at.toISOString(),
    next_action: nextOf[state],
  }
}

export const referenceView = (reference: ReferenceRow) => viewOf(PaymentReference, reference)

const howOf: Record<PaymentMethod, string> = {
  hosted_checkout: 'the payment provider’s signed event about the session',
  agent_allowance: 'a debit of the allowance wallet that payer names',
  payment_reference:
    'the payment provider’s signed event, or an operator who looked at the account',
  invoice_reference:
    'the payment provider’s signed event, or an operator who looked at the account',
  stablecoin_reference:
    'one final transfer of exactly the amount, as the chain’s own nodes show it',
  x402_reference: 'the settlement of the signed payment in a final block',
  ap2_mandate_reference:
    'the debit of the wallet, or the settlement of the payment, that the mandate names',
}

/** How a payment is confirmed, by whom, and when to poll again; null once it is decided. */
export function verificationOf({ method, state, reason }: ReferenceRow) {
  const open = state === 'presented' || state === 'pending'
  const how = { how: howOf[method], by: [...confirmedBy[method]], next_poll_ms: open ? 5000 : null }
  return open && reason === settlesNothing ? { ...how, settles: 'nothing' as const } : how
}

/** Movements as pairs of a debited and a credited account, the legs under one receipt together. */
export function postingsOf(movements: readonly PostedLeg[]) {
  const receipts = [...new Set(movements.map(({ receipt_id }) => receipt_id))]
  return receipts.flatMap((receipt_id) => {
    const legs = movements.filter((leg) => leg.receipt_id === receipt_id)
    const { kind: reason = '', posted_at: at = new Date(0) } = legs[0] ?? {}
    return pairLegs(legs).map(({ debit, credit, units }, index) => ({
      posting_id: `${receipt_id}.${index}`,
      debit,
      credit,
      units,
      reason,
      receipt_id,
      at: at.toISOString(),
    }))
  })
}

/** An entitlement with every movement that touched it. */
export function entitlementView(entitlement: EntitlementRow, movements: readonly PostedLeg[]) {
  const {
    entitlement_id,
    agent_id,
    rail,
    tier,
    state,
    granted_units,
    consumed_units,
    returned_units,
  } = entitlement
  const units = { granted_units, consumed_units, returned_units }
  return { entitlement_id, agent_id, rail, tier, state, ...units, postings: postingsOf(movements) }
}

/** What is left of an entitlement and the receipts that moved its credit. */
export function creditView(entitlement: EntitlementRow, movements: readonly PostedLeg[]) {
  const receiptsOf = (kind: string) => [
    ...new Set(movements.filter((leg) => leg.kind === kind).map(({ receipt_id }) => receipt_id)),
  ]
  return {
    entitlement: entitlementView(entitlement, movements),
    balance_units: remainingUnits(entitlement),
    settlement_receipts: receiptsOf('settlement_receipt'),
    usage_receipts: receiptsOf('usage_receipt'),
  }
}
