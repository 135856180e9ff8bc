import { z } from 'zod'
import { RateLimit } from '../../calls/rate-policies.ts'
import { operation } from '../../operation.ts'
import { StartHere } from '../../registry/start-here-shape.ts'
import { Rail } from '../agents/shapes.ts'

/** GET /api/agents-start-here: the calls of a first run, printed from the registry and the rail's own sample input. */
export const agentsStartHere = operation({
  id: 'agents-start-here',
  summary: 'The calls from no agent to a first result, in order, with bodies that work.',
  http: { method: 'GET', path: '/api/agents-start-here', host: 'base', cacheable: true },
  access: 'public',
  input: z.strictObject({
    rail: Rail.default('packetops').meta({ description: 'One that is sold.' }),
  }),
  output: StartHere.extend({
    rate_limits: z.array(RateLimit).meta({
      description: 'How many calls a caller may make; answers name theirs in RateLimit-Policy.',
    }),
  }).meta({ id: 'AgentsStartHere' }),
  handle: async ({ rail }, { discovery }) => ({
    body: { ...discovery.startHere(rail), rate_limits: discovery.rateLimits() },
  }),
})
