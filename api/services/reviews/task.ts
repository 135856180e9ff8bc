import type { Decision } from '#domain/reviews/review.ts'
import { taskStanding } from '#domain/tasks/lifecycle.ts'
import { taskTerms } from '#domain/tasks/terms.ts'
import { priceOf } from '../../../activities/store/credit/quotes.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  countTasksInReview,
  findDocument,
  findTask,
  listTasksInReview,
  lockTask,
  type TaskRow,
} from '../../../activities/store/tasks/tasks.ts'
import { findQueuedOrderOf } from '../../../activities/store/work-orders/work-orders.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { readGaps } from '../../../activities/tasks/gaps.ts'
import { recordTransition } from '../../../activities/tasks/transition.ts'
import { approveTask } from '../tasks/input.ts'
import { taskView } from '../tasks/views.ts'
import { notAllowed, unknownSubject } from './evidence.ts'
import type { ReviewSubject, WaitingSubject } from './subject.ts'
import { taskParts } from './task-evidence.ts'

/** Paid tasks whose work is to be approved before it begins, and runs whose gaps may be waived. */
export const taskSubject = (deps: TaskDeps): ReviewSubject => ({
  kind: 'task',
  list: async (tx, filter, most) =>
    (await listTasksInReview(tx, filter, most)).map((task) => ({
      since: task.changed_at,
      describe: () => listed(tx, task),
    })),
  count: (tx, filter) => countTasksInReview(tx, filter),
  tasksOf: async (_tx, taskId) => [taskId],
  evidence: async (tx, taskId) => {
    const task = await findTask(tx, taskId)
    return task && { since: task.changed_at, ...(await taskParts(tx, task)) }
  },
  decide: async (tx, { subjectId: taskId, decision, decisionId, operator }, assert) => {
    const task = await lockTask(tx, taskId)
    if (task === undefined) throw unknownSubject('no such task')
    await assert.waitsSince(task.changed_at)
    const order = await findQueuedOrderOf(tx, taskId)
    const allowed = order === undefined ? allowedFor(task) : []
    const why = order === undefined ? `the task is ${task.state}` : `it is reviewed as ${order}`
    if (!allowed.includes(decision)) throw notAllowed(why, allowed, taskStanding(task.state))
    await assert.evidenceSeen()
    if (task.state === 'credit_funded' && decision === 'approve')
      await approveTask(tx, taskId, decisionId)
    else {
      await recordTransition(deps, tx, {
        taskId,
        eventId: decisionId,
        event: decision === 'approve' ? 'evidence_waived' : 'review_rejected',
        actor: `operator:${operator.operatorId}`,
        data: { decision_id: decisionId },
      })
    }
    const after = (await lockTask(tx, taskId)) ?? task
    return { state: after.state, view: await taskView(tx, after) }
  },
})

function allowedFor({ state, review_decision }: TaskRow): Decision[] {
  if (state === 'evidence_partial') return ['approve']
  return state === 'credit_funded' && review_decision === null ? ['approve', 'reject'] : []
}

async function listed(tx: Tx, task: TaskRow): Promise<WaitingSubject> {
  const { task_id, state, rail, tier, agent_id, run_id, terms_sha256, changed_at } = task
  const { objective } = taskTerms.parse(await findDocument(tx, task_id, terms_sha256))
  const hasGaps = state === 'evidence_partial'
  const run = `the ${rail} ${tier} run of ${agent_id}`
  return {
    subject_kind: 'task',
    subject_id: task_id,
    state,
    waiting_since: changed_at.toISOString(),
    rail,
    summary: `${hasGaps ? `Continue ${run} without the missing evidence` : `Start ${run}`}: ${objective}`,
    evidence_links: [{ host: 'os', path: `/api/agents/tasks/${task_id}/ledger` }],
    amount_usd: await priceOf(tx, task.quote_id),
    allowed_decisions: allowedFor(task),
    gaps: hasGaps ? await readGaps(tx, run_id ?? '') : [],
  }
}
