import { z } from 'zod'
import { operation } from '../../operation.ts'
import { contractSchema } from '../discovery/contract-shape.ts'
import { Manifest } from './register.ts'

/** GET /api/agents/register: how to register, and the rules for all agents. */
export const agentRegisterRead = operation({
  id: 'agent-register-read',
  summary:
    'Read how an agent registers: the manifest’s schema, the policy rules, and how many agents stand where.',
  http: { method: 'GET', path: '/api/agents/register', host: 'base' },
  access: 'public',
  output: contractSchema('Agents by trust state.', {
    manifest_schema: z.looseObject({}),
  }).meta({
    id: 'RegistrationContract',
  }),
  handle: async (_input, context) => {
    const view = await context.contracts.registration()
    return {
      body: { ...view, manifest_schema: z.toJSONSchema(Manifest, { io: 'input' }) },
    }
  },
})
