import { z } from 'zod'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { moverOf } from '../agents/caller.ts'
import { CustomerWorkflow, CustomerWorkflowId, WORKFLOW_PATH } from './workflow-shapes.ts'

/** GET /api/customer-workflow-production. */
export const workflowRead = operation({
  id: 'customer-workflow-read',
  summary:
    'List your workflows, the newest first, each with what became of its firings; an operator reads all.',
  http: { method: 'GET', path: WORKFLOW_PATH, host: 'base' },
  access: ['agent', 'operator'],
  needs: { scopes: ['runs:read'] },
  errors: ['not_found'],
  input: z.strictObject({ workflow_id: CustomerWorkflowId.optional(), ...pageFields(6) }),
  output: z
    .strictObject({
      items: z.array(CustomerWorkflow),
      ...pageAnswer,
    })
    .meta({ id: 'CustomerWorkflows' }),
  handle: async ({ workflow_id, offset, limit }, context) => ({
    body: await context.customerWorkflows.list(
      { agentId: moverOf(context).agentId, workflowId: workflow_id },
      pageOf({ offset, limit }),
    ),
  }),
})
