import { z } from 'zod'
import { operation } from '../../operation.ts'
import { described, packet, tour } from './investor-demo-shapes.ts'

/** GET /api/investor-demo: the tour over a published packet, of which nothing is stored. */
export const investorDemoRead = operation({
  id: 'investor-demo-read',
  summary: 'Read the tour of a proof, its relay and its ledger entry over a published packet.',
  http: { method: 'GET', path: '/api/investor-demo', host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  output: z.strictObject(described).meta({ id: 'InvestorDemo' }),
  handle: async (_, context) => {
    const { verification_packet: _packet, ...demo } = await context.investorDemo.describe()
    return { body: { ...demo, ...tour } }
  },
})

/** GET /api/investor-demo-v2: also the verification packet. */
export const investorDemoV2Read = operation({
  id: 'investor-demo-detail-read',
  summary: 'Read the same tour with its verification packet.',
  http: { method: 'GET', path: '/api/investor-demo-v2', host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  output: z.strictObject({ ...described, ...packet }).meta({ id: 'InvestorDemoV2' }),
  handle: async (_, { investorDemo }) => ({
    body: { ...(await investorDemo.describe()), ...tour },
  }),
})
