import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { inputErrors } from '../tasks/input-shapes.ts'
import { GateCheck } from './gate-shapes.ts'
import {
  acceptTerms,
  CustomerWorkflow,
  CustomerWorkflowId,
  WORKFLOW_PATH,
  workflowTerms,
} from './workflow-shapes.ts'

/** POST /api/customer-workflow-production, mode `create_workflow` or none: a schedule that an operator has to approve. */
export const workflowCreate = operation({
  id: 'customer-workflow-create',
  summary:
    'Create a workflow that starts a paid run for a customer account at each firing, once an operator has approved it.',
  http: { method: 'POST', path: WORKFLOW_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['production:write'], rail: ({ rail }) => rail },
  delegable: true,
  spendsUsd: async ({ rail, tier }, { customerWorkflows }) =>
    customerWorkflows.firingUsd(rail, tier),
  gate: { rails: 'priced', callback: 'required' },
  limits: { bodyBytes: 1_048_576 },
  status: [201],
  uses: () => ({ workflows: 1 }),
  errors: [
    ...inputErrors,
    ...(['callback_refused', 'control_denied', 'not_found', 'not_owner'] as const),
    ...(['rail_not_allowed', 'trust_required', 'paused'] as const),
  ],
  input: z.strictObject({
    mode: z.literal('create_workflow').optional(),
    ...workflowTerms,
    input: z.record(z.string(), z.unknown()).meta({
      'x-free-text': true,
      description: 'Of each run; it names no uploads.',
    }),
    accept_terms: acceptTerms,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      workflow: CustomerWorkflow,
      gate: z.strictObject({ checks: z.array(GateCheck) }),
      review: z.strictObject({
        subject_kind: z.literal('workflow'),
        subject_id: CustomerWorkflowId,
        state: z.literal('waiting'),
      }),
      receipt: Receipt,
    })
    .meta({ id: 'CreatedWorkflow' }),
  handle: async (
    { mode: _mode, accept_terms: _terms, idempotency_key: _key, ...asked },
    context,
  ) => {
    await context.customerWorkflows.create(writerOf(context), asked, context.callId)
    return answeredByService
  },
})
