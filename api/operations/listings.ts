import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { BADGE_FEE } from '#domain/credit/pricing.ts'
import { badgeEvents } from '#domain/listings/listing.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { callerIn } from '../caller.ts'
import type { Context } from '../context.ts'
import { freeText, IdempotencyKey, ReceiptId } from '../fields.ts'
import { operation } from '../operation.ts'
import { pageInBody, pageOfItems } from '../page-fields.ts'
import { AgentId, Rail } from '../shapes/agents.ts'
import { contractSchema } from '../shapes/contract.ts'
import {
  BadgeQuote,
  BadgeState,
  LISTING_PATH,
  Listing,
  ListingId,
  Months,
  PlanId,
} from '../shapes/listings.ts'
import { PaymentChallenge, QuoteId, ReferenceId, WalletId } from '../shapes/payments.ts'
import { Receipt } from '../shapes/receipts.ts'

const Check = z.strictObject({
  receipt_id: ReceiptId,
  kind: z.string().nullable(),
  ok: z.boolean(),
  detail: z.string(),
})

/** POST /api/trust-listing-path, mode `create_trust_listing`: an operator decides whether it is shown. */
const createTrustListing = operation({
  id: 'create-trust-listing',
  summary:
    'Ask to be listed, on verified receipts about you of operational work. It is shown once an operator approves it.',
  http: { method: 'POST', path: LISTING_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['listings:write'], rail: ({ rails }) => rails },
  delegable: true,
  spendsUsd: async () => 0,
  status: [201],
  errors: ['receipt_invalid', 'already_exists', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('create_trust_listing'),
    display_name: freeText(120, 1),
    summary: freeText(1000, 1),
    rails: z.array(Rail).min(1).max(railKeys.length),
    evidence_receipt_ids: z.array(ReceiptId).min(1).max(20),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ listing: Listing, checks: z.array(Check) })
    .meta({ id: 'CreatedTrustListing' }),
  handle: async ({ mode: _mode, idempotency_key: _key, ...described }, context) => {
    const by = { agentId: callerIn(context).requiredAgentId, callId: context.callId }
    return { body: await context.listings.create(described, by) }
  },
})

/** POST /api/trust-listing-path, mode `read_trust_listings`: approved listings of trusted agents; an agent also sees its own. */
const readTrustListings = operation({
  id: 'read-trust-listings',
  summary: 'List the approved listings, and your own, the newest first.',
  http: { method: 'POST', path: LISTING_PATH, host: 'base' },
  access: ['agent', 'operator', 'public'],
  needs: { scopes: ['runs:read'] },
  idempotency: { kind: 'read' },
  input: z.strictObject({
    mode: z.literal('read_trust_listings'),
    agent_id: AgentId.optional(),
    trust_badge_state: BadgeState.optional(),
    ...pageInBody(1_000),
  }),
  output: pageOfItems(Listing).meta({ id: 'TrustListings' }),
  handle: async ({ agent_id: agentId, trust_badge_state: badge, offset, limit }, context) => {
    const filter = { ...readerOf(context), agentId, badge }
    return { body: await context.listings.list(filter, { offset, limit }) }
  },
})

/** POST /api/trust-listing-path, mode `create_trust_badge_plan`: the plan of a quote is named by both, so a repeat finds it. */
const createTrustBadgePlan = operation({
  id: 'create-trust-badge-plan',
  summary: 'Plan the badge of a quote, with the challenge that pays it.',
  http: { method: 'POST', path: LISTING_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['listings:write'] },
  status: [201],
  errors: [
    'not_found',
    'not_owner',
    'wrong_state',
    'quote_mismatch',
    'quote_expired',
    'already_funded',
    'payment_pending',
  ],
  uses: () => ({ records: 1 }),
  idempotency: { kind: 'effect' },
  input: z.strictObject({
    mode: z.literal('create_trust_badge_plan'),
    trust_listing_id: ListingId,
    quote_id: QuoteId,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ listing: Listing, challenge: PaymentChallenge })
    .meta({ id: 'PlannedBadge' }),
  handle: async ({ trust_listing_id, quote_id }, context) => ({
    status: 201,
    body: await context.listings.plan(
      callerIn(context).requiredAgentId,
      trust_listing_id,
      quote_id,
    ),
  }),
})

/** POST /api/trust-listing-path, mode `quote_trust_badge_fee`: the live quote of a badge of so many months is its own record. */
const quoteTrustBadgeFee = operation({
  id: 'quote-trust-badge-fee',
  summary: 'Ask what a badge of so many months costs for a listing of yours that is approved.',
  http: { method: 'POST', path: LISTING_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['listings:write'] },
  errors: ['control_denied', 'not_found', 'wrong_state'],
  uses: () => ({ records: 1 }),
  idempotency: { kind: 'effect' },
  input: z.strictObject({
    mode: z.literal('quote_trust_badge_fee'),
    trust_listing_id: ListingId,
    months: Months.default(12),
  }),
  output: z.strictObject({ quote: BadgeQuote, listing: Listing }).meta({ id: 'QuotedBadge' }),
  handle: async ({ trust_listing_id, months }, context) => ({
    body: await context.listings.quote(callerIn(context).requiredAgentId, trust_listing_id, months),
  }),
})

const contract = contractSchema('Approved listings by the state of their badge.', {
  fee: z.strictObject({
    fee_item: z.literal(BADGE_FEE),
    usd_by_months: z.array(z.int()).meta({ description: 'From one month to twelve.' }),
  }),
}).meta({ id: 'TrustListingContract' })

/** GET /api/trust-listing-path: how an agent is listed and what a badge costs; with an id, one listing. */
const trustListingRead = operation({
  id: 'trust-listing-read',
  summary: 'Read how an agent is listed and what its badge costs, or one listing.',
  http: { method: 'GET', path: LISTING_PATH, host: 'base' },
  access: ['agent', 'operator', 'public'],
  needs: { scopes: ['runs:read'] },
  errors: ['not_found'],
  input: z.strictObject({ trust_listing_id: ListingId.optional() }),
  output: z.union([
    z.strictObject({ listing: Listing }).meta({ id: 'ReadTrustListing' }),
    contract,
  ]),
  handle: async ({ trust_listing_id: listingId }, context) => {
    if (listingId === undefined) {
      const fee = context.listings.price()
      return { body: { ...(await context.contracts.trustListing()), fee } }
    }
    return { body: await context.listings.read({ ...readerOf(context), listingId }) }
  },
})

/** POST /api/trust-listing-path, mode `record_trust_badge_fee_event`: the ledger decides whether an event is true, for operators too. */
const recordTrustBadgeFeeEvent = operation({
  id: 'record-trust-badge-fee-event',
  summary:
    'Record that the fee of a badge was presented or is settled, or as an operator that it lapsed or was refunded.',
  http: { method: 'POST', path: LISTING_PATH, host: 'base' },
  access: ['agent', 'operator'],
  needs: { scopes: ['listings:write'] },
  errors: [
    'not_found',
    'not_owner',
    'wrong_state',
    'quote_mismatch',
    'quote_expired',
    'challenge_expired',
    'payment_pending',
    'already_funded',
    'credit_exhausted',
    'wallet_underfunded',
    'control_denied',
    'trust_required',
    'paused',
  ],
  input: z.strictObject({
    mode: z.literal('record_trust_badge_fee_event'),
    trust_listing_id: ListingId,
    commercial_plan_id: PlanId,
    event: z.enum(badgeEvents),
    payment_reference_id: ReferenceId.optional(),
    wallet_id: WalletId.optional().meta({
      description: 'With settled: your allowance wallet, which pays now; needs wallets:write.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ listing: Listing, receipt: Receipt }).meta({ id: 'RecordedBadgeFee' }),
  handle: async (given, context) => {
    const { caller, callId } = context
    if (given.wallet_id !== undefined) assertMayPay(context)
    const asked = {
      actor: caller.id,
      agentId: caller.kind === 'operator' ? undefined : (callerIn(context).agentId ?? ''),
      listingId: given.trust_listing_id,
      planId: given.commercial_plan_id,
      event: given.event,
      paymentReferenceId: given.payment_reference_id,
      walletId: given.wallet_id,
    }
    return { body: await context.listings.record({ ...asked, callId }) }
  },
})

const readerOf = (context: Context) => ({
  reader: callerIn(context).agentId,
  all: context.caller.kind === 'operator',
})

/** Only the agent of a wallet pays from it, with a credential that may. */
function assertMayPay({ caller }: Context): void {
  if (caller.kind === 'agent' && caller.credential.scopes.includes('wallets:write')) return
  throw refuse('scope_denied', { detail: 'paying from a wallet needs wallets:write of its agent' })
}

/** Listings of agents, and the fees of their badges. */
export const listings = [
  trustListingRead,
  createTrustListing,
  quoteTrustBadgeFee,
  createTrustBadgePlan,
  recordTrustBadgeFeeEvent,
  readTrustListings,
] as const
