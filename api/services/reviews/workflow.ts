import { workflowDecisions } from '#domain/production/customer-workflow.ts'
import { railOf } from '#domain/rails/index.ts'
import { releaseOfWorkflow } from '../../../activities/authority/firing-charge.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  type CustomerWorkflowRow,
  findWorkflow,
  lockWorkflow,
  moveWorkflow,
  waitingWorkflows,
} from '../../../activities/store/production/customer-workflows.ts'
import { findProductionWrite } from '../../../activities/store/production/production-writes.ts'
import { reviewOf } from './record-subject.ts'
import { agentEvidence } from './task-evidence.ts'

/** Workflows of customers: approved, they fire by their schedule; each run still waits for its own reviews. */
export const workflowSubject = reviewOf<CustomerWorkflowRow>({
  kind: 'workflow',
  name: 'workflow',
  rows: { find: findWorkflow, lock: lockWorkflow, waiting: waitingWorkflows },
  since: ({ created_at }) => created_at,
  state: ({ state }) => state,
  allowed: ({ state }) => workflowDecisions(state),
  line: ({ workflow_id, rail, ...row }) => ({
    subject_id: workflow_id,
    rail,
    summary: `Schedule ${row.cadence} ${rail} ${row.tier} runs for ${row.customer_account}: ${row.name}`,
    evidence_links: [
      { host: 'base', path: `/api/customer-workflow-production?workflow_id=${workflow_id}` },
    ],
  }),
  content: contentOf,
  decide: async (tx, row, { decision, decisionId }) => {
    const { workflow_id, input_sha256 } = row
    const state = decision === 'approve' ? 'active' : 'rejected'
    await moveWorkflow(tx, workflow_id, { state, decision_id: decisionId })
    const released_usd = state === 'rejected' ? await releaseOfWorkflow(tx, row) : 0
    const facts = { input_sha256, ...(released_usd > 0 && { released_usd }) }
    return { state, view: { workflow_id, state }, facts }
  },
})

async function contentOf(tx: Tx, row: CustomerWorkflowRow) {
  const { name, customer_account, cadence, rail, tier, wallet_id, callback_url, state } = row
  const { accepted_terms, terms_sha256 } = row
  const write = await findProductionWrite(tx, row.audit_event_id)
  return {
    request: { name, customer_account, cadence, rail, tier, callback_url },
    agent: await agentEvidence(tx, row.agent_id),
    terms: { accepted: accepted_terms, terms_sha256 },
    criteria: row.acceptance_criteria,
    price: { base_usd: railOf(rail).prices?.[tier] ?? null },
    payment: { wallet_id },
    input: row.input,
    checks: write?.checks,
    history: { state, created_at: row.created_at.toISOString() },
  }
}
