import { z } from 'zod'
import {
  cadences,
  type WorkflowMove,
  workflowStates,
} from '#domain/production/customer-workflow.ts'
import { callerIn } from '../../caller.ts'
import type { Context } from '../../context.ts'
import { Digest, freeText, IdempotencyKey, Time } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { Rail } from '../../shapes/agents.ts'
import { WalletId } from '../../shapes/payments.ts'
import { GateCheck } from '../../shapes/production.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { RunId } from '../../shapes/runs.ts'
import { inputErrors } from '../../shapes/task-inputs.ts'
import { CallbackUrl, Tier } from '../../shapes/tasks.ts'
import { WorkOrderId } from '../../shapes/work-orders.ts'

const WORKFLOW_PATH = '/api/customer-workflow-production'
const CustomerWorkflowId = z.string().regex(/^cw_[0-9a-f]{64}$/)

/** What a workflow does at each firing. */
const workflowTerms = {
  customer_account: freeText(160, 1),
  rail: Rail,
  tier: Tier,
  name: freeText(120, 1),
  acceptance_criteria: z.array(freeText(500, 1)).min(1).max(20),
  callback_url: CallbackUrl,
  wallet_id: WalletId.meta({ description: 'Your allowance wallet, which pays each run.' }),
  cadence: z.enum(cadences).meta({
    description:
      'on_demand: only by run_workflow; otherwise at the time of day, on the day, at which it was made, in UTC.',
  }),
}

/** The acceptance of an agent that makes or resumes a workflow. */
const acceptTerms = z.literal(true).meta({
  description:
    'Accepts the contract that is prepared for each run of the workflow, and declares with it that the input holds no regulated records and no confidential production client data.',
})

const Firing = z
  .strictObject({
    firing_id: z.string(),
    due_at: Time,
    state: z.enum(['due', 'started', 'refused']),
    run_id: RunId.nullable(),
    work_order_id: WorkOrderId.nullable().meta({ description: 'It waits for its own review.' }),
    code: z.string().nullable().meta({ description: 'Why no run was started.' }),
    detail: z.string().nullable(),
    terms_sha256: Digest.meta({
      description: 'Of the accepted terms by which it fired.',
    }),
    charged_usd: z.int().nullable().meta({
      description:
        'What the mandate of a delegated workflow was charged: 0 for the first run, which the action that made it has paid.',
    }),
  })
  .meta({ id: 'WorkflowFiring' })

const CustomerWorkflow = z
  .strictObject({
    workflow_id: CustomerWorkflowId,
    ...workflowTerms,
    callback_url: z.string(),
    input_sha256: z.string(),
    accepted_terms: z
      .strictObject({
        version: z.literal('firing-terms-v1'),
        contract: z.string(),
        data_policy: z.string(),
        data_declaration: z.string(),
      })
      .meta({ id: 'FiringTerms', description: 'What its agent accepted last.' }),
    terms_sha256: Digest.meta({
      description: 'Of the RFC 8785 form of accepted_terms.',
    }),
    state: z.enum(workflowStates),
    decision_id: z.string().nullable(),
    action_id: z.string().nullable().meta({
      description: 'The delegated action that made it, whose mandate is charged with each run.',
    }),
    created_at: Time,
    firings: z.array(Firing).meta({ description: 'The newest 25.' }),
  })
  .meta({ id: 'CustomerWorkflow' })

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
    await context.customerWorkflows.create(callerIn(context).writer, asked, context.callId)
    return answeredByService
  },
})

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
  await context.customerWorkflows.move(callerIn(context).writer, moved, context.callId)
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
      { agentId: callerIn(context).taskActor.agentId, workflowId: workflow_id },
      pageOf({ offset, limit }),
    ),
  }),
})

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
    body: await context.customerWorkflows.run(
      callerIn(context).requiredAgentId,
      workflow_id,
      context.callId,
    ),
  }),
})
