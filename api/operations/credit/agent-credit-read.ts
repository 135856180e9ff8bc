import { z } from 'zod'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { EntitlementId } from '../payments/shapes.ts'
import { credit } from './credit-shapes.ts'

/** GET /api/agents/credits/{entitlement_id}. */
export const agentCreditRead = operation({
  id: 'agent-credit-read',
  summary: 'Read an entitlement: what is left of its credit, its postings and its receipts.',
  http: { method: 'GET', path: '/api/agents/credits/{entitlement_id}', host: 'base' },
  access: ['agent', 'operator', 'status'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['not_found', 'not_owner'],
  input: z.strictObject({ entitlement_id: EntitlementId }),
  output: z.strictObject(credit).meta({ id: 'Credit' }),
  handle: async ({ entitlement_id }, context) => ({
    body: await context.credit.read(entitlement_id, agentIdOf(context)),
  }),
})
