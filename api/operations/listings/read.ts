import { z } from 'zod'
import { BADGE_FEE } from '#domain/credit/pricing.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { contractSchema } from '../discovery/contract-shape.ts'
import { LISTING_PATH, Listing, ListingId } from './shapes.ts'

const contract = contractSchema('Approved listings by the state of their badge.', {
  fee: z.strictObject({
    fee_item: z.literal(BADGE_FEE),
    usd_by_months: z.array(z.int()).meta({ description: 'From one month to twelve.' }),
  }),
}).meta({ id: 'TrustListingContract' })

/** GET /api/trust-listing-path: how an agent is listed and what a badge costs; with an id, one listing. */
export const trustListingRead = operation({
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
    const reader = agentIdOf(context)
    const all = context.caller.kind === 'operator'
    return { body: await context.listings.read({ reader, all, listingId }) }
  },
})
