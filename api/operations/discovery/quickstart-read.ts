import { z } from 'zod'
import { operation } from '../../operation.ts'
import { Quickstart } from '../../registry/start-here-shape.ts'
import { Rail } from '../agents/shapes.ts'

/** GET /api/agent-api-quickstart: three calls to a result, also for a shell. */
export const agentQuickstartRead = operation({
  id: 'agent-quickstart-read',
  summary:
    'The rails of the quickstart, and the calls of a first run without an agent, also for curl.',
  http: { method: 'GET', path: '/api/agent-api-quickstart', host: 'base', cacheable: true },
  access: 'public',
  input: z.strictObject({
    rail: Rail.default('packetops').meta({ description: 'One of `allowed_rails`.' }),
  }),
  output: Quickstart,
  handle: async ({ rail }, { discovery }) => ({ body: discovery.quickstart(rail) }),
})
