import { z } from 'zod'
import { CURRENCY, PRICING_MODEL, paidSurfaces } from '#domain/credit/pricing.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { TierTerms } from '../payments/tier-shape.ts'

const usd = z.int().min(0)

/** GET /api/agent-pricing: both price tables, computed from what the rails declare and from their switches; whole usd. */
export const agentPricing = operation({
  id: 'agent-pricing',
  summary: 'What each rail costs by tier, its fee and its totals.',
  http: { method: 'GET', path: '/api/agent-pricing', host: 'base' },
  tool: 'list_rails',
  access: 'public',
  input: z.strictObject({
    rail: Rail.optional(),
    surface: z.enum(['agent', 'movement_fee', 'all']).default('all').meta({
      description:
        'agent: bases, with the fee and totals in members of their own. movement_fee: the movement fee schedule, whose prices are totals. all: every rail, as on agent.',
    }),
  }),
  output: z
    .strictObject({
      currency: z.literal(CURRENCY),
      pricing_model: z.literal(PRICING_MODEL).nullable().meta({
        description: 'The model of the movement fee schedule; null on the agent pricing surface.',
      }),
      rails: z.array(
        z.strictObject({
          rail: Rail,
          status: z.enum(['active', 'offered', 'free', 'paused']),
          entry: usd,
          standard: usd,
          pro: usd,
          rail_fee: usd.meta({ description: 'On standard; part of the prices of movement_fee.' }),
          totals: z.strictObject({ entry: usd, standard: usd, pro: usd }),
          paid_surfaces: z
            .array(z.enum(paidSurfaces))
            .meta({ description: 'Empty for what is free.' }),
          tiers: z.strictObject({ entry: TierTerms, standard: TierTerms, pro: TierTerms }),
        }),
      ),
      fee_rule: z.string(),
      quote_how: z.string(),
    })
    .meta({ id: 'AgentPricing' }),
  handle: async (input, { quotes }) => ({ body: await quotes.listPrices(input) }),
})
