import { z } from 'zod'
import { BADGE_FEE } from '#domain/credit/pricing.ts'
import { badgeStates, listingReviewStates } from '#domain/listings/listing.ts'
import { ReceiptId, Time } from '../fields.ts'
import { AgentId, Rail } from './agents.ts'
import { QuoteId } from './payments.ts'

export const LISTING_PATH = '/api/trust-listing-path'
const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-f]{64}$`))
export const ListingId = id('tl')
export const PlanId = id('cpl')
export const BadgeState = z.enum(badgeStates)
export const Months = z.int().min(1).max(12)

/** A listing as everyone may see it once an operator has approved it. */
export const Listing = z
  .strictObject({
    trust_listing_id: ListingId,
    commercial_plan_id: PlanId.nullable(),
    trust_badge_state: BadgeState.meta({
      description: 'As the ledger has it now: active while its time runs and its payment stands.',
    }),
    fee_event_id: id('fe').nullable().meta({ description: 'The last event of the fee.' }),
    agent_id: AgentId,
    display_name: z.string(),
    summary: z.string(),
    rails: z.array(Rail),
    evidence: z.array(z.strictObject({ receipt_id: ReceiptId, kind: z.string().nullable() })),
    review_state: z.enum(listingReviewStates),
    active_until: Time.nullable(),
    listed_at: Time,
  })
  .meta({ id: 'TrustListing' })

export const BadgeQuote = z
  .strictObject({
    quote_id: QuoteId,
    fee_item: z.literal(BADGE_FEE),
    months: Months,
    total_usd: z.int().min(1),
    currency: z.literal('usd'),
    pricing_model: z.literal(BADGE_FEE),
    expires_at: Time,
  })
  .meta({ id: 'BadgeQuote' })
