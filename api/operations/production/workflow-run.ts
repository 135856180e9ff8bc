import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { CustomerWorkflow, CustomerWorkflowId, WORKFLOW_PATH } from './workflow-shapes.ts'

/** POST /api/customer-workflow-production, mode `run_workflow`: one firing now, as its schedule makes them. */
export const workflowRun = operation({
  id: 'customer-workflow-run',
  summary: 'Let an approved workflow of your own fire now; read what became of it in its firings.',
  http: { method: 'POST', path: WORKFLOW_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['production:write'] },
  status: [202],
  uses: () => ({ workflows: 1 }),
  errors: ['not_found', 'not_owner', 'wrong_state', 'rail_not_allowed', 'unavailable'],
  input: z.strictObject({
    mode: z.literal('run_workflow'),
    workflow_id: CustomerWorkflowId,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ workflow: CustomerWorkflow, firing_id: z.string() })
    .meta({ id: 'FiredWorkflow' }),
  handle: async ({ workflow_id }, context) => ({
    body: await context.customerWorkflows.run(callingAgentId(context), workflow_id, context.callId),
  }),
})
