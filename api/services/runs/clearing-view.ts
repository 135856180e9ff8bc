import type { ClearingDecision } from '#domain/runs/clearing.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findLiveOf, findReference } from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { ClearingRow } from '../../../activities/store/runs/clearings.ts'
import { requireTask } from '../../../activities/store/tasks/tasks.ts'

const path = '/api/agent-run-clearing-spine'
const nextEndpoints: Readonly<Record<ClearingDecision, string>> = {
  cleared: '/api/agent-to-agent-handoff-pack',
  retry: path,
  human_review: path,
  blocked: '/api/agents/tasks/{token}/exceptions',
}

/** The decision after the review of an operator. */
const decisionNow = ({ decision, review_state }: ClearingRow): ClearingDecision => {
  if (review_state === 'approved') return 'cleared'
  return review_state === 'rejected' ? 'blocked' : decision
}

/** Whether ledger and payment of the run are still those that the clearing is about. */
async function isCurrent(tx: Tx, row: ClearingRow): Promise<boolean> {
  const { head_hash, entitlement_id } = await requireTask(tx, row.task_id)
  const paid = entitlement_id === null ? undefined : await findLiveOf(tx, entitlement_id)
  return head_hash === row.ledger_head && (paid?.state ?? 'none') === row.payment_state
}

/** What follows from a decision. A run that has changed since is cleared again; before that, an unpaid one is paid and a stopped one recovered. */
export function followingOf(
  decision: ClearingDecision,
  open: { paid: boolean; stopped: boolean; changed?: boolean },
) {
  if (open.changed === true)
    return {
      clearing_decision: decision,
      retry_available: true,
      handoff_ready: false,
      next_endpoint: path,
    }
  let next_endpoint = nextEndpoints[decision]
  if (decision === 'retry' && open.stopped) next_endpoint = '/api/agents/tasks/{token}/recover'
  else if (decision === 'retry' && !open.paid) next_endpoint = '/api/agent-payment-rail'
  return {
    clearing_decision: decision,
    retry_available: decision === 'retry',
    handoff_ready: decision === 'cleared',
    next_endpoint,
  }
}

/** A clearing as its row says, with the eleven members that Doc 1 lists (Resources, clearing spine). */
export async function clearingView(tx: Tx, row: ClearingRow) {
  const { asked, envelope, checks, receipt_id, payment_reference_id } = row
  const receipt = await findReceipt(tx, { receipt_id })
  if (receipt === undefined) throw new Error(`${row.clearing_id} has no receipt`)
  const paid = payment_reference_id && (await findReference(tx, payment_reference_id))
  const isPassed = checks.find(({ check }) => check === 'payment')?.outcome === 'passed'
  return {
    clearing_id: row.clearing_id,
    obligation_object: asked.obligation,
    evidence_envelope: { ...envelope, checks },
    policy_scope: asked.policy_scope,
    payment_reference: paid
      ? {
          payment_reference_id: paid.payment_reference_id,
          method: paid.method,
          amount_usd: paid.amount_usd,
          state: row.payment_state,
          settlement_receipt_id: paid.settlement_receipt_id,
        }
      : null,
    run_receipt: receiptView(receipt.jws),
    proof_state: row.proof_state,
    ...followingOf(decisionNow(row), {
      changed: !(await isCurrent(tx, row)),
      paid: isPassed,
      stopped: ['exception_open', 'replay_ready'].includes(envelope.task_state),
    }),
  }
}
