import { workflowDecisions } from '#domain/production/customer-workflow.ts'
import { railOf } from '#domain/rails/index.ts'
import { releaseOfWorkflow } from '../../../activities/authority/released.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  type CustomerWorkflowRow,
  countWaitingWorkflows,
  findWorkflow,
  listWaitingWorkflows,
  lockWorkflow,
  moveWorkflow,
} from '../../../activities/store/production/customer-workflows.ts'
import { findProductionWrite } from '../../../activities/store/production/production-writes.ts'
import { notAllowed, unknownSubject } from './evidence.ts'
import type { ReviewSubject, WaitingSubject } from './subject.ts'
import { agentEvidence } from './task-evidence.ts'

/** Workflows of customers: approved, they fire by their schedule; each run still waits for its own reviews. */
export const workflowSubject: ReviewSubject = {
  kind: 'workflow',
  list: async (tx, filter, most) =>
    (await listWaitingWorkflows(tx, filter, most)).map((row) => ({
      since: row.created_at,
      describe: async () => listed(row),
    })),
  count: countWaitingWorkflows,
  evidence: async (tx, workflowId) => {
    const row = await findWorkflow(tx, workflowId)
    return row && { since: row.created_at, content: await contentOf(tx, row) }
  },
  decide: async (tx, { subjectId: workflowId, decision, decisionId }, assert) => {
    const row = await lockWorkflow(tx, workflowId)
    if (row === undefined) throw unknownSubject('no such workflow')
    await assert.waitsSince(row.created_at)
    const allowed = workflowDecisions(row.state)
    if (!allowed.includes(decision)) throw notAllowed(`the workflow is ${row.state}`, allowed)
    await assert.evidenceSeen()
    const state = decision === 'approve' ? 'active' : 'rejected'
    await moveWorkflow(tx, workflowId, { state, decision_id: decisionId })
    const released_usd = state === 'rejected' ? await releaseOfWorkflow(tx, row) : 0
    const facts = { input_sha256: row.input_sha256, ...(released_usd > 0 && { released_usd }) }
    return { state, view: { workflow_id: workflowId, state }, facts }
  },
}

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

function listed({
  workflow_id,
  state,
  created_at,
  rail,
  ...row
}: CustomerWorkflowRow): WaitingSubject {
  return {
    subject_kind: 'workflow',
    subject_id: workflow_id,
    state,
    waiting_since: created_at.toISOString(),
    rail,
    summary: `Schedule ${row.cadence} ${rail} ${row.tier} runs for ${row.customer_account}: ${row.name}`,
    evidence_links: [
      { host: 'base', path: `/api/customer-workflow-production?workflow_id=${workflow_id}` },
    ],
    amount_usd: null,
    allowed_decisions: workflowDecisions(state),
  }
}
