import { z } from 'zod'
import { operation } from '../../operation.ts'
import { callingAgent } from '../agents/caller.ts'
import { BadgeQuote, LISTING_PATH, Listing, ListingId, Months } from './shapes.ts'

/** POST /api/trust-listing-path, mode `quote_trust_badge_fee`: the live quote of a badge of so many months is its own record. */
export const quoteTrustBadgeFee = operation({
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
    body: await context.listings.quote(callingAgent(context), trust_listing_id, months),
  }),
})
