import { z } from 'zod'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../caller.ts'
import { credit } from './credit-shapes.ts'
import { EntitlementId } from './shapes.ts'

const output = z.strictObject(credit).meta({ id: 'Credit' })

/** GET /api/agents/credits/{entitlement_id} (endpoints §9). */
export const agentCreditRead = operation({
  id: 'agent-credit-read',
  summary: 'Read an entitlement: what is left of its credit, its postings and its receipts.',
  http: { method: 'GET', path: '/api/agents/credits/{entitlement_id}', host: 'base' },
  access: ['agent', 'operator', 'status'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  price: null,
  charge: 'after',
  status: [200],
  errors: ['not_found', 'not_owner'],
  idempotency: { kind: 'read' },
  input: z.strictObject({ entitlement_id: EntitlementId }),
  output,
  handle: async ({ entitlement_id }, context) => ({
    body: output.parse(await context.money.readCredit(entitlement_id, agentIdOf(context))),
  }),
})
