import { z } from 'zod'
import { operation } from '../../operation.ts'

/** GET /api/trust-contract: the issuer document. */
export const trustContract = operation({
  id: 'trust-contract',
  summary:
    'What this service is and stands for: identity, keys, price, caps, wallet proof and typed data.',
  http: { method: 'GET', path: '/api/trust-contract', host: 'base', cacheable: true },
  access: 'public',
  output: z.looseObject({
    service_id: z.literal('service-trust-v1'),
    issuer: z.string(),
    alg: z.string(),
    key_id: z.string().nullable(),
    payout: z.looseObject({}),
  }),
  handle: async (_input, context) => ({
    body: await context.discovery.trustContract(),
  }),
})
