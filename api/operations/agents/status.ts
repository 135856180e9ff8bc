import { z } from 'zod'
import { keyStates } from '../../../workflows/domain/credential.ts'
import { operation } from '../../operation.ts'
import { callingToken } from '../caller.ts'
import { AgentId, TrustState } from './shapes.ts'

const output = z
  .strictObject({
    kind: z.literal('agent'),
    agent_id: AgentId,
    trust_state: TrustState,
    credential: z.strictObject({ state: z.enum(keyStates), version: z.int(), claimable: z.boolean() }).nullable(),
    next_action: z.string(),
    steps: z
      .array(z.strictObject({ step: z.string(), done: z.boolean() }))
      .meta({ description: 'Self-onboarding and access key delivery, in their order.' }),
  })
  .meta({ id: 'AgentStatus' })

/** GET /api/agents/status/{token}: the token reads and nothing more; an unknown one is 404. */
export const agentStatus = operation({
  id: 'agent-status',
  summary: 'Read what a status token tells: trust, the access key’s state, and the steps that are done.',
  http: { method: 'GET', path: '/api/agents/status/{token}', host: 'base' },
  access: 'status',
  statusToken: { prefixes: ['st'], signed: false },
  price: null,
  charge: 'after',
  status: [200],
  errors: [],
  idempotency: { kind: 'read' },
  input: z.strictObject({}),
  output,
  handle: async (_input, context) => ({
    body: output.parse(await context.agents.status(callingToken(context).agentId)),
  }),
})
