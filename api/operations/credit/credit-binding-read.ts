import { z } from 'zod'
import { operation } from '../../operation.ts'
import { readingAgentId } from '../agents/caller.ts'
import { contractSchema } from '../discovery/contract-shape.ts'
import { EntitlementId } from '../payments/shapes.ts'
import { Binding, BindingId } from './binding-shapes.ts'

/** GET /api/agent-credit-checkout-binding: what the path offers; asked for one, also the agent's own binding. */
export const creditBindingRead = operation({
  id: 'credit-binding-read',
  summary: 'Read how credit is bound to the challenge that pays for it, or a binding of your own.',
  http: { method: 'GET', path: '/api/agent-credit-checkout-binding', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z
    .strictObject({ binding_id: BindingId.optional(), entitlement_id: EntitlementId.optional() })
    .refine(
      ({ binding_id, entitlement_id }) => binding_id === undefined || entitlement_id === undefined,
      {
        message: 'give binding_id or entitlement_id, not both',
      },
    )
    .meta({ not: { required: ['binding_id', 'entitlement_id'] } }),
  output: contractSchema('Bound challenges by state.', { binding: Binding.nullable() }).meta({
    id: 'CreditBindingContract',
  }),
  handle: async ({ binding_id, entitlement_id }, context) => {
    const contract = await context.contracts.binding()
    const selector = selectorOf(binding_id, entitlement_id)
    if (selector === undefined) return { body: { ...contract, binding: null } }
    const agentId = readingAgentId(context, 'only its agent can read a binding')
    const binding = await context.checkouts.readBinding(agentId, selector)
    return { body: { ...contract, binding } }
  },
})

function selectorOf(binding_id?: string, entitlement_id?: string) {
  if (binding_id !== undefined) return { binding_id }
  if (entitlement_id !== undefined) return { entitlement_id }
  return undefined
}
