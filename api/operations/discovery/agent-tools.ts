import { z } from 'zod'
import { paymentPaths } from '#domain/payments/payment-reference.ts'
import { operation } from '../../operation.ts'
import { AgentTools } from '../../registry/agent-tools-shape.ts'
import { Method } from '../payments/shapes.ts'
import { agentPricing } from '../quotes/agent-pricing.ts'

/** GET /agent-tools.json: printed from the registry, the rails and the configuration. */
export const agentTools = operation({
  id: 'agent-tools',
  summary: 'Everything that an agent can call here: tools, operations, rails, prices and payment.',
  http: {
    method: 'GET',
    path: '/agent-tools.json',
    aliases: ['/api/agent-tools'],
    host: 'base',
    cacheable: true,
  },
  access: 'public',
  output: AgentTools.extend({
    rails: agentPricing.output.shape.rails,
    payment: z.strictObject({
      posture: z.array(z.enum(['reference_based', 'provider_webhooks'])),
      paths: z.array(z.enum(paymentPaths)),
      methods: z.array(Method),
    }),
  }).meta({ id: 'AgentTools' }),
  handle: async (_input, { discovery, quotes, payments }) => ({
    body: {
      ...discovery.agentTools(),
      rails: (await quotes.listPrices({ surface: 'all' })).rails,
      payment: {
        posture: [...payments.posture],
        paths: [...paymentPaths],
        methods: [...payments.methods],
      },
    },
  }),
})
