import { z } from 'zod'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { AgentId } from '../agents/shapes.ts'
import { BadgeState, LISTING_PATH, Listing } from './shapes.ts'

/** POST /api/trust-listing-path, mode `read_trust_listings`: approved listings of trusted agents; an agent also sees its own. */
export const readTrustListings = operation({
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
    offset: z.int().min(0).max(1_000).default(0),
    limit: z.int().min(1).max(100).default(25),
  }),
  output: z
    .strictObject({
      items: z.array(Listing),
      offset: z.int(),
      limit: z.int(),
      total: z.int(),
    })
    .meta({ id: 'TrustListings' }),
  handle: async ({ agent_id: agentId, trust_badge_state: badge, offset, limit }, context) => {
    const filter = { reader: agentIdOf(context), all: context.caller.kind === 'operator' }
    const page = { offset, limit }
    return { body: await context.listings.list({ ...filter, agentId, badge }, page) }
  },
})
