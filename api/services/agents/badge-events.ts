import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { move } from '#domain/core/state-table.ts'
import { type BadgeEvent, type BadgeState, badgeTransitions } from '#domain/listings/listing.ts'
import { chargeBadge, paymentOfPlan } from '../../../activities/credit/badge.ts'
import { refundReference } from '../../../activities/credit/credit.ts'
import { requireQuote } from '../../../activities/credit/quotes.ts'
import { type ReceiptView, receiptView } from '../../../activities/keys/receipt-view.ts'
import {
  findBadgeEvent,
  insertBadgeEvent,
  type ListingRow,
  listings,
  monthsFromNow,
} from '../../../activities/store/listings/listings.ts'
import {
  findReference,
  type ReferenceRow,
} from '../../../activities/store/payments/payment-references.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { issueReceipt, type ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'

/** `agentId` is missing where an operator records; only an operator has the badge lapse or be refunded. */
export type BadgeEventAsked = {
  actor: string
  agentId: string | undefined
  listingId: string
  planId: string
  event: BadgeEvent
  paymentReferenceId?: string | undefined
  walletId?: string | undefined
}

/**
 * Records an event of a locked listing: each is what the ledger says at that moment, never what its caller says. A repeat returns the
 * first receipt. 403 `control_denied`, 409 `payment_pending`, `wrong_state`, `quote_mismatch`, and what a charge refuses.
 */
export async function recordBadgeEvent(
  deps: ReceiptIssuer,
  tx: Tx,
  listing: ListingRow,
  asked: BadgeEventAsked,
): Promise<ReceiptView> {
  const { event, agentId, paymentReferenceId } = asked
  if (agentId !== undefined && (event === 'lapsed' || event === 'refunded'))
    throw refuse('control_denied', { detail: `an operator records that a fee is ${event}` })
  if (listing.fee_event_id !== null) {
    const last = await findBadgeEvent(tx, listing.fee_event_id)
    if (last?.event === event && last.commercial_plan_id === asked.planId && event !== 'presented')
      return receiptView(last.jws)
  }
  const to = move('the badge', badgeTransitions, listing.trust_badge_state, event)
  const payment = await paymentFor(deps, tx, listing, asked)
  if (paymentReferenceId !== undefined && payment.payment_reference_id !== paymentReferenceId)
    throw refuse('quote_mismatch', { detail: 'the payment is not the one of this plan' })
  return write(deps, tx, listing, { to, event, actor: asked.actor, payment })
}

/** Throws 409 `wrong_state` unless the approval of a locked listing stands, without which its badge is worth nothing. */
export function assertApproved({ review_state }: ListingRow): void {
  if (review_state === 'approved') return
  throw refuse('wrong_state', {
    detail: `the listing is ${review_state}`,
    next_action: 'Ask again when an operator has approved a listing of yours.',
  })
}

/** The payment that makes the event true; each branch reads or moves the ledger in this transaction. */
async function paymentFor(
  deps: ReceiptIssuer,
  tx: Tx,
  listing: ListingRow,
  { event, planId, walletId, actor }: BadgeEventAsked,
): Promise<ReferenceRow> {
  const { agent_id: agentId, trust_listing_id: listingId } = listing
  const quoteId = listing.quote_id ?? ''
  if (event === 'settled') {
    assertApproved(listing)
    return chargeBadge(deps, tx, { agentId, listingId, planId, quoteId, walletId })
  }
  if (event === 'presented') {
    const presented = await paymentOfPlan(tx, quoteId)
    if (presented !== undefined) return presented
    throw refuse('wrong_state', { detail: 'no payment for this plan was presented' })
  }
  const settled = await findBadgeEvent(tx, listing.fee_event_id ?? '')
  const paid = settled && (await findReference(tx, settled.payment_reference_id))
  if (paid === undefined) throw new Error('an active badge has a payment')
  if (event === 'lapsed') {
    const now = (await clockSeconds(tx)) * 1000
    if ((listing.active_until?.getTime() ?? 0) <= now) return paid
    throw refuse('wrong_state', { detail: 'the time of the badge has not ended' })
  }
  if (paid.state === 'refunded') return paid
  if (paid.method !== 'agent_allowance')
    throw refuse('payment_pending', {
      detail: `the payment is ${paid.state}`,
      next_action:
        'Have the payment refunded first: by its provider, or by a review of the payment.',
      money_moved: 'no',
    })
  const refund = { referenceId: paid.payment_reference_id, decidedBy: actor, reason: 'badge fee' }
  return (await refundReference(deps, tx, refund)).reference
}

type Written = { to: BadgeState; event: BadgeEvent; actor: string; payment: ReferenceRow }

async function write(
  deps: ReceiptIssuer,
  tx: Tx,
  { trust_listing_id, commercial_plan_id, agent_id, quote_id }: ListingRow,
  { to, event, actor, payment: { payment_reference_id, amount_usd } }: Written,
): Promise<ReceiptView> {
  const plan = commercial_plan_id ?? ''
  const fee_event_id = `fe_${digestOf({ plan, event, payment_reference_id })}`
  const earlier = await findBadgeEvent(tx, fee_event_id)
  if (earlier !== undefined) return receiptView(earlier.jws)
  const facts = {
    trust_listing_id,
    commercial_plan_id,
    agent_id,
    event,
    trust_badge_state: to,
    payment_reference_id,
    amount_usd,
    recorded_by: actor,
  }
  const about = { subject: fee_event_id, kind: 'listing', usage: 'operational', facts }
  const jws = await issueReceipt(deps, tx, about)
  const row = { fee_event_id, trust_listing_id, commercial_plan_id: plan, event, actor }
  await insertBadgeEvent(tx, { ...row, payment_reference_id, receipt_id: receiptId(jws) })
  const months = event === 'settled' ? (await requireQuote(tx, quote_id ?? '')).units : undefined
  const until = months === undefined ? {} : { active_until: monthsFromNow(months) }
  await listings.update(tx, trust_listing_id, { trust_badge_state: to, fee_event_id, ...until })
  return receiptView(jws)
}

/** The state of the badge of a locked listing now: one that is active and whose time ended lapses here. */
export async function lapse(deps: ReceiptIssuer, tx: Tx, listing: ListingRow): Promise<BadgeState> {
  const { trust_badge_state, active_until } = listing
  if (trust_badge_state !== 'active') return trust_badge_state
  if ((active_until?.getTime() ?? 0) > (await clockSeconds(tx)) * 1000) return trust_badge_state
  const asked = { actor: 'service', agentId: undefined, event: 'lapsed' } as const
  await recordBadgeEvent(deps, tx, listing, {
    ...asked,
    listingId: listing.trust_listing_id,
    planId: listing.commercial_plan_id ?? '',
  })
  return 'lapsed'
}
