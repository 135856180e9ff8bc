import { z } from 'zod'
import { offeredPilots } from '#domain/pilots/pilot.ts'
import { operation } from '../../operation.ts'
import { Tier } from '../payments/shapes.ts'

const Offer = z
  .strictObject({
    rail: z.enum(offeredPilots),
    tiers: z.array(z.strictObject({ tier: Tier, total_usd: z.int().min(1) })),
    sample_url: z.string(),
    requirements: z.array(z.string()),
  })
  .meta({ id: 'PilotOffer' })

/** GET /api/pilot-client-agent-offer-launch: the pilots that the agent of a client launches by itself. */
export const offersRead = operation({
  id: 'offers-read',
  summary: 'Read which pilots the agent of a client launches by itself, with their prices.',
  http: { method: 'GET', path: '/api/pilot-client-agent-offer-launch', host: 'base' },
  access: 'public',
  input: z.strictObject({ rail: z.enum(offeredPilots).optional() }),
  output: z.strictObject({ offers: z.array(Offer) }).meta({ id: 'PilotOffers' }),
  handle: async ({ rail }, { pilotOffers }) => ({ body: { offers: pilotOffers.list(rail) } }),
})
