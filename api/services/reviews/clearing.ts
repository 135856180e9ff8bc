import { refuse } from '#domain/core/errors.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { findReference } from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  type ClearingRow,
  countWaitingClearings,
  findClearing,
  listWaitingClearings,
  lockClearing,
  reviewClearing,
  type WaitingClearing,
} from '../../../activities/store/runs/clearings.ts'
import { requireTask } from '../../../activities/store/tasks/tasks.ts'
import { clearingView } from '../runs/clearing-view.ts'
import { unknownSubject } from './evidence.ts'
import type { ReviewSubject, WaitingSubject } from './subject.ts'
import { agentEvidence } from './task-evidence.ts'

const allowed: Decision[] = ['approve', 'reject']

/** Clearings of runs that waiting does not settle: approved they are cleared, rejected they are blocked. Neither moves money. */
export const clearingSubject: ReviewSubject = {
  kind: 'clearing',
  list: async (tx, filter, most) =>
    (await listWaitingClearings(tx, filter, most)).map((row) => ({
      since: row.made_at,
      describe: async () => listed(row),
    })),
  count: countWaitingClearings,
  evidence: async (tx, clearingId) => {
    const row = await findClearing(tx, clearingId)
    return row && { since: row.made_at, content: await contentOf(tx, row) }
  },
  decide: async (tx, { subjectId: clearingId, decision, decisionId }, assert) => {
    const row = await lockClearing(tx, clearingId)
    if (row === undefined) throw unknownSubject('no such clearing')
    await assert.waitsSince(row.made_at)
    if (row.review_state !== 'waiting' || (decision !== 'approve' && decision !== 'reject'))
      throw refuse('wrong_state', {
        detail: `the clearing is ${row.review_state ?? row.decision}`,
        next_action: `Allowed: ${allowed.join(', ')}.`,
        extra: { allowed_decisions: row.review_state === 'waiting' ? allowed : [] },
      })
    await assert.evidenceSeen()
    const state = decision === 'approve' ? 'approved' : 'rejected'
    const reviewed = await reviewClearing(tx, clearingId, { state, decisionId })
    const { clearing_decision } = await clearingView(tx, reviewed)
    const facts = { clearing_decision, clearing_receipt_id: row.receipt_id }
    return { state, view: { clearing_id: clearingId, review_state: state, ...facts }, facts }
  },
}

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

function listed(row: WaitingClearing): WaitingSubject {
  const open = row.checks.filter(({ outcome }) => outcome === 'review')
  return {
    subject_kind: 'clearing',
    subject_id: row.clearing_id,
    state: row.review_state ?? row.decision,
    waiting_since: row.made_at.toISOString(),
    rail: row.rail,
    summary: `Clear ${row.envelope.run_id}: ${open.map(({ detail }) => detail).join('; ')}`,
    amount_usd: row.asked.obligation.amount_usd,
    evidence_links: [{ host: 'base', path: `/api/verify-receipt?receipt_id=${row.receipt_id}` }],
    allowed_decisions: allowed,
  }
}
