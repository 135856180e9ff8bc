import { findReference } from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  type ClearingRow,
  findClearing,
  lockClearing,
  reviewClearing,
  waitingClearings,
} from '../../../activities/store/runs/clearings.ts'
import { requireTask } from '../../../activities/store/tasks/tasks.ts'
import { clearingView } from '../runs/clearing-view.ts'
import { reviewOf } from './record-subject.ts'
import { agentEvidence } from './task-evidence.ts'

/** Clearings of runs that waiting does not settle: approved they are cleared, rejected they are blocked. Neither moves money. */
export const clearingSubject = reviewOf<ClearingRow>({
  kind: 'clearing',
  name: 'clearing',
  rows: { find: findClearing, lock: lockClearing, waiting: waitingClearings },
  since: ({ made_at }) => made_at,
  state: ({ review_state, decision }) => review_state ?? decision,
  allowed: ({ review_state }) => (review_state === 'waiting' ? ['approve', 'reject'] : []),
  line: async (row, tx) => {
    const open = row.checks.filter(({ outcome }) => outcome === 'review')
    return {
      subject_id: row.clearing_id,
      rail: (await requireTask(tx, row.task_id)).rail,
      summary: `Clear ${row.envelope.run_id}: ${open.map(({ detail }) => detail).join('; ')}`,
      amount_usd: row.asked.obligation.amount_usd,
      evidence_links: [{ host: 'base', path: `/api/verify-receipt?receipt_id=${row.receipt_id}` }],
    }
  },
  content: contentOf,
  decide: async (tx, { clearing_id, receipt_id }, { decision, decisionId }) => {
    const state = decision === 'approve' ? 'approved' : 'rejected'
    const reviewed = await reviewClearing(tx, clearing_id, { state, decisionId })
    const { clearing_decision } = await clearingView(tx, reviewed)
    const facts = { clearing_decision, clearing_receipt_id: receipt_id }
    return { state, view: { clearing_id, review_state: state, ...facts }, facts }
  },
})

/** With the run and its payment as they are now: a decision about what has moved on since is 409 `evidence_changed`. */
async function contentOf(tx: Tx, row: ClearingRow) {
  const { asked, envelope, checks, agent_id, payment_reference_id } = row
  const task = await requireTask(tx, row.task_id)
  const paid = payment_reference_id && (await findReference(tx, payment_reference_id))
  return {
    request: asked,
    agent: agent_id === null ? undefined : await agentEvidence(tx, agent_id),
    payment: paid ? { payment_reference_id, method: paid.method, state: paid.state } : null,
    result: envelope,
    checks,
    history: {
      state: row.review_state,
      receipt_id: row.receipt_id,
      ledger_head_now: task.head_hash,
      task_state_now: task.state,
    },
  }
}
