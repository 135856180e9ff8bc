import { z } from 'zod'
import { operation } from '../../operation.ts'
import { AgentId } from '../agents/shapes.ts'
import { AgentPassport } from './passport-shapes.ts'
import { ProofId } from './shapes.ts'

/** GET /api/agent-passport: computed from the records now, and signed once while they state the same. */
export const agentPassportRead = operation({
  id: 'agent-passport-read',
  summary: 'Read what the records say about an agent, as far as it publishes that, signed.',
  http: { method: 'GET', path: '/api/agent-passport', host: 'base' },
  access: 'public',
  errors: ['not_found'],
  input: z
    .strictObject({
      agent_id: AgentId.optional().meta({ description: 'The agent; this or a proof.' }),
      proof_id: ProofId.optional().meta({ description: 'A published proof of the agent.' }),
    })
    .refine(({ agent_id, proof_id }) => (agent_id === undefined) !== (proof_id === undefined), {
      message: 'give exactly one of agent_id, proof_id',
    })
    .meta({ oneOf: [{ required: ['agent_id'] }, { required: ['proof_id'] }] }),
  output: AgentPassport,
  handle: async ({ agent_id, proof_id }, { agentPassports }) => ({
    body: await agentPassports.read(
      agent_id === undefined ? { proof_id: String(proof_id) } : { agent_id },
    ),
  }),
})
