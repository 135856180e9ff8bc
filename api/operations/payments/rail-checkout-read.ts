import { z } from 'zod'
import { operation } from '../../operation.ts'
import { readingAgentId } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { ProductCard } from './checkout-shapes.ts'
import { ChallengeId, PaymentChallenge, Tier } from './shapes.ts'

/** GET /api/agent-rail-checkout: what can be bought and where; with an id the agent's own challenge. */
export const railCheckoutRead = operation({
  id: 'rail-checkout-read',
  summary:
    'Read what each rail and tier costs and where it is paid, or a payment challenge of your own.',
  http: { method: 'GET', path: '/api/agent-rail-checkout', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({
    rail: Rail.optional(),
    tier: Tier.optional(),
    challenge_id: ChallengeId.optional(),
  }),
  output: z
    .strictObject({ product_cards: z.array(ProductCard), challenge: PaymentChallenge.nullable() })
    .meta({ id: 'RailCheckout' }),
  handle: async ({ challenge_id, ...only }, context) => {
    const product_cards = await context.productLinks.cards(only)
    if (challenge_id === undefined) return { body: { product_cards, challenge: null } }
    const agentId = readingAgentId(context, 'a challenge is read by its agent')
    const challenge = await context.checkouts.readChallenge(agentId, challenge_id)
    return { body: { product_cards, challenge } }
  },
})
