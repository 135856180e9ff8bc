import { z } from 'zod'
import { pathSteps } from '#domain/production/activation-path.ts'
import { operation } from '../../operation.ts'
import { readingAgentId } from '../agents/caller.ts'
import { contractSchema } from '../discovery/contract-shape.ts'
import { ActivationId, CustomerActivation, PathStep } from './activation-shapes.ts'

/** GET /api/customer-activation-path: what the path offers; asked for one, also the agent's own activation. */
export const activationPathRead = operation({
  id: 'activation-path-read',
  summary:
    'Read the steps of a customer account to its first run, or how far an account of yours has come.',
  http: { method: 'GET', path: '/api/customer-activation-path', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['credential_required', 'not_found'],
  input: z.strictObject({ activation_id: ActivationId.optional() }),
  output: contractSchema('Activations begun, counted up to 1000.', {
    steps: z.array(PathStep),
    activation: CustomerActivation.nullable(),
  }).meta({ id: 'CustomerActivationPath' }),
  handle: async ({ activation_id }, context) => {
    const contract = { ...(await context.contracts.activationPath()), steps: [...pathSteps] }
    if (activation_id === undefined) return { body: { ...contract, activation: null } }
    const agentId = readingAgentId(context, 'an activation is read by its agent')
    const activation = await context.activationPaths.read(agentId, activation_id)
    return { body: { ...contract, activation } }
  },
})
