import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { receiptId } from '#domain/core/ids.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { issueQuote } from '../../activities/credit/quotes.ts'
import { fundFromGrant } from '../../activities/credit/sandbox.ts'
import { findEntitlement } from '../../activities/store/credit/entitlements.ts'
import { type Tx, transaction } from '../../activities/store/postgres/db.ts'
import { issueReceipt } from '../../activities/store/receipts/receipts.ts'
import { insertDecision } from '../../activities/store/reviews/review-decisions.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { requireTask } from '../../activities/store/tasks/tasks.ts'
import { claimCredit } from '../../activities/tasks/credit.ts'
import type { TaskDeps } from '../../activities/tasks/deps.ts'
import { type ReviewDecision, recordReview } from '../../api/services/runs/review.ts'
import { approveTask } from '../../api/services/tasks/input.ts'

/** Credit for a task that is trusted, funded by the sandbox or, for an operational one, by an operator's grant. */
export const creditFor = (deps: TaskDeps, taskId: string) =>
  transaction(deps.db, async (tx) => {
    const task = await requireTask(tx, taskId)
    const by = { owner: task.agent_id ?? taskId }
    const rail = railOf(task.rail as RailKey)
    const quote = await issueQuote(deps, tx, { by, rail, tier: task.tier, taskId })
    const { quote_id } = quote
    const { entitlement_id: entitlementId } = await claimCredit(deps, tx, {
      task,
      quoteId: quote_id,
    })
    const grant = { entitlementId, operator: 'operator:alice', decision: `rc_${'d'.repeat(64)}` }
    await fundFromGrant(deps, tx, grant)
    const { settlement_receipt_id } = (await findEntitlement(tx, entitlementId)) ?? {}
    return {
      quote_id,
      entitlement_id: entitlementId,
      settlement_receipt_id: String(settlement_receipt_id),
    }
  })

/** Takes the credit of a task away, past the rules that keep it: the task then rests where it would be charged. */
export const dropCredit = (db: Kysely<Database>, taskId: string): Promise<unknown> =>
  transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await tx.deleteFrom('task_credits').where('task_id', '=', taskId).execute()
  })

/** Approves a task by a decision of its own, as a review does. */
export const approved = (deps: TaskDeps, taskId: string): Promise<string> =>
  transaction(deps.db, async (tx) => {
    const decisionId = `dec_${randomBytes(32).toString('hex')}`
    await approveTask(tx, taskId, decisionId)
    await storeDecision(deps, tx, { decisionId, subjectId: taskId })
    return decisionId
  })

/** Ends the open review of a run by a decision of its own, as an operator does. */
export const reviewed = (
  deps: TaskDeps,
  runId: string,
  decision: ReviewDecision['decision'],
): Promise<void> =>
  transaction(deps.db, async (tx) => {
    const decisionId = `dec_${randomBytes(32).toString('hex')}`
    const review = { decision, decisionId, decidedBy: 'operator:alice', note: '', judgements: [] }
    await recordReview(tx, runId, review)
    await storeDecision(deps, tx, {
      decisionId,
      subjectId: runId,
      subjectKind: 'loop_step',
      decision,
    })
  })

type Decided = {
  decisionId: string
  subjectId: string
  subjectKind?: 'task' | 'loop_step'
  decision?: ReviewDecision['decision']
  operatorId?: string
}

/** Stores the decision of an operator with its receipt. */
export async function storeDecision(
  deps: TaskDeps,
  tx: Tx,
  {
    decisionId,
    subjectId,
    subjectKind = 'task',
    decision = 'approve',
    operatorId = 'alice',
  }: Decided,
): Promise<void> {
  const jws = await issueReceipt(deps, tx, {
    subject: decisionId,
    kind: 'review_decision',
    usage: 'operational',
    facts: { decision_id: decisionId },
  })
  const now = new Date()
  await insertDecision(tx, {
    decision_id: decisionId,
    subject_kind: subjectKind,
    subject_id: subjectId,
    waiting_since: now,
    decision,
    note: 'by a test',
    limits: null,
    evidence_seen_sha256: [],
    evidence_root_sha256: 'e'.repeat(64),
    judgements: [],
    operator_id: operatorId,
    operator_name: 'Alice',
    receipt_id: receiptId(jws),
    decided_at: now,
  })
}
