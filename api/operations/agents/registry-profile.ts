import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { Receipt } from '../operators/receipt.ts'
import { callingAgent } from './caller.ts'
import { Agent, Rail } from './shapes.ts'

const described = {
  name: freeText(120, 1),
  description: freeText(1000, 1),
  capabilities: z.array(freeText(200, 1)).max(32),
  rails: z.array(Rail).max(8),
}

/** POST /api/agent-registry: replaces the caller's profile and publishes or withdraws it at once. */
export const agentRegistryProfile = operation({
  id: 'agent-registry-profile',
  summary: 'Set the public profile of your agent, and publish or withdraw it.',
  http: { method: 'POST', path: '/api/agent-registry', host: 'base' },
  access: 'agent',
  needs: { scopes: ['profile:write'] },
  errors: ['rail_not_allowed', 'forbidden_material'],
  input: z.strictObject({
    ...described,
    publish_profile: z
      .boolean()
      .meta({ description: 'Whether the registry shows it; false withdraws it at once.' }),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: z
    .strictObject({ agent: Agent, profile: z.strictObject(described), receipt: Receipt })
    .meta({ id: 'AgentProfile' }),
  handle: async ({ idempotency_key: _key, ...profile }, context) => {
    await context.profiles.set(callingAgent(context), profile, context.callId)
    return answeredByService
  },
})
