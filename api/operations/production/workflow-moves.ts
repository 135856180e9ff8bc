import { z } from 'zod'
import type { WorkflowMove } from '#domain/production/customer-workflow.ts'
import type { Context } from '../../context.ts'
import { IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import {
  acceptTerms,
  CustomerWorkflow,
  CustomerWorkflowId,
  WORKFLOW_PATH,
} from './workflow-shapes.ts'

/** POST /api/customer-workflow-production: what the modes that move a workflow share. */
const moving = {
  http: { method: 'POST', path: WORKFLOW_PATH, host: 'base' },
  access: 'agent',
  needs: { scopes: ['production:write'] },
  errors: ['not_found', 'wrong_state', 'rail_not_allowed'],
  output: z
    .strictObject({ workflow: CustomerWorkflow, receipt: Receipt })
    .meta({ id: 'MovedWorkflow' }),
} as const
const named = { workflow_id: CustomerWorkflowId, idempotency_key: IdempotencyKey }

async function move(context: Context, workflowId: string, to: WorkflowMove) {
  const moved = { workflowId, move: to }
  await context.customerWorkflows.move(writerOf(context), moved, context.callId)
  return answeredByService
}

export const workflowPause = operation({
  ...moving,
  id: 'customer-workflow-pause',
  summary:
    'Pause a workflow of your own; a firing while it is paused starts nothing and is recorded.',
  input: z.strictObject({ mode: z.literal('pause_workflow'), ...named }),
  handle: ({ workflow_id }, context) => move(context, workflow_id, 'pause'),
})

export const workflowResume = operation({
  ...moving,
  id: 'customer-workflow-resume',
  summary:
    'Resume a paused workflow; its later firings use the access key and the accepted terms of this call.',
  gate: { rails: 'priced', callback: 'required' },
  errors: [...moving.errors, ...(['callback_refused', 'trust_required', 'paused'] as const)],
  input: z.strictObject({
    mode: z.literal('resume_workflow'),
    ...named,
    accept_terms: acceptTerms,
  }),
  handle: ({ workflow_id }, context) => move(context, workflow_id, 'resume'),
})

export const workflowDelete = operation({
  ...moving,
  id: 'customer-workflow-delete',
  summary: 'End a workflow of your own for good; its schedule is removed.',
  input: z.strictObject({ mode: z.literal('delete_workflow'), ...named }),
  handle: ({ workflow_id }, context) => move(context, workflow_id, 'delete'),
})
