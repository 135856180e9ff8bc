import { z } from 'zod'
import { cadences, workflowStates } from '#domain/production/customer-workflow.ts'
import { Digest, freeText, Time } from '../../fields.ts'
import { Rail } from '../agents/shapes.ts'
import { WalletId } from '../payments/shapes.ts'
import { RunId } from '../runs/shapes.ts'
import { CallbackUrl, Tier } from '../tasks/shapes.ts'
import { WorkOrderId } from '../work-orders/shapes.ts'

export const WORKFLOW_PATH = '/api/customer-workflow-production'
export const CustomerWorkflowId = z.string().regex(/^cw_[0-9a-f]{64}$/)

/** What a workflow does at each firing. */
export const workflowTerms = {
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
export const acceptTerms = z.literal(true).meta({
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

export const CustomerWorkflow = z
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
