import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgent } from '../agents/caller.ts'
import { PaymentChallenge, QuoteId } from '../payments/shapes.ts'
import { LISTING_PATH, Listing, ListingId } from './shapes.ts'

/** POST /api/trust-listing-path, mode `create_trust_badge_plan`: the plan of a quote is named by both, so a repeat finds it. */
export const createTrustBadgePlan = operation({
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
    body: await context.listings.plan(callingAgent(context), trust_listing_id, quote_id),
  }),
})
