import { refuse } from '#domain/core/errors.ts'
import { type FeeSettings, feeUsd } from '#domain/credit/fees.ts'
import { BADGE_FEE, quoteLifeSeconds } from '#domain/credit/pricing.ts'
import { assertAccountAllows } from '../accounts/controls.ts'
import { isTrustedAgent } from '../store/agents/agents.ts'
import { findEntitlementOf } from '../store/credit/entitlements.ts'
import { insertQuote, type QuoteRow } from '../store/credit/quotes.ts'
import { findWalletPause, shareSwitches } from '../store/operators/controls.ts'
import { findLiveOf, type ReferenceRow } from '../store/payments/payment-references.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { consumeCredit } from './credit.ts'
import { anyPayment, newId, paymentPending, requirePayable, routeOf } from './quotes.ts'
import { payByAllowance } from './references.ts'
import { assertMaySpend } from './spending-limit.ts'

/** A quote for a badge of so many months. 403 `control_denied`. */
export async function quoteBadge(
  { fees, issuer }: { fees: FeeSettings } & Pick<ReceiptIssuer, 'issuer'>,
  tx: Tx,
  agentId: string,
  months: number,
): Promise<QuoteRow> {
  const total_usd = feeUsd(fees, BADGE_FEE, { count: months })
  const item = { rail: BADGE_FEE, tier: 'entry', units: months, bound_to: agentId } as const
  const spending = { rail: null, usd: total_usd }
  await assertAccountAllows(tx, { agentId }, spending, anyPayment)
  const price = { base_usd: total_usd, rail_fee_usd: 0, total_usd, pricing_model: BADGE_FEE }
  const provider_route = routeOf(BADGE_FEE, issuer, BADGE_FEE)
  return insertQuote(
    tx,
    { quote_id: newId('qt'), ...item, ...price, provider_route },
    quoteLifeSeconds,
  )
}

/** The payment that pays or may still pay the quote of a plan. */
export async function paymentOfPlan(tx: Tx, quoteId: string): Promise<ReferenceRow | undefined> {
  const entitlement = await findEntitlementOf(tx, quoteId)
  return entitlement && findLiveOf(tx, entitlement.entitlement_id)
}

/** `walletId` pays now, in the same transaction; without it the fee uses a payment that was presented before. */
type BadgeCharge = {
  agentId: string
  listingId: string
  planId: string
  quoteId: string
  walletId?: string | undefined
}

/**
 * Charges the fee of a plan: pauses, trust and limits are read in the transaction in which the credit of a verified payment is used.
 * 503 `paused`, 403 `trust_required`, `control_denied`, 409 `payment_pending`, `wrong_state`, and what a wallet refuses.
 */
export async function chargeBadge(
  deps: ReceiptIssuer,
  tx: Tx,
  { agentId, listingId, planId, quoteId, walletId }: BadgeCharge,
): Promise<ReferenceRow> {
  await shareSwitches(tx)
  if (walletId !== undefined) {
    const { challenge_id } = await requirePayable(tx, quoteId)
    await payByAllowance(deps, tx, { agentId, challengeId: challenge_id, walletId })
  }
  const paid = await paymentOfPlan(tx, quoteId)
  if (paid === undefined) throw unpaid('no payment was presented')
  const paused = await findWalletPause(tx, paid.payer ?? '')
  if (paused !== undefined) throw refuse('paused', { detail: `fees are paused: ${paused}` })
  await assertMaySpend(tx, agentId, paid.amount_usd)
  if (!(await isTrustedAgent(tx, agentId)))
    throw refuse('trust_required', { detail: 'a badge is for a trusted agent' })
  if (paid.state === 'presented' || paid.state === 'pending') throw paymentPending(paid)
  if (paid.state !== 'verified') throw unpaid(`the payment is ${paid.state}`)
  await consumeCredit(deps, tx, {
    entitlementId: paid.entitlement_id ?? '',
    key: planId,
    units: paid.amount_usd,
    kind: 'other',
    occurredAt: new Date((await clockSeconds(tx)) * 1000),
    subject: planId,
    facts: { fee_item: BADGE_FEE, trust_listing_id: listingId },
  })
  return paid
}

const unpaid = (detail: string) =>
  refuse('wrong_state', { detail, next_action: 'Pay the challenge of the plan.' })
