import type { PendingReview } from '#domain/reviews/wait.ts'
import type { Tx } from '../store/postgres/db.ts'
import { findOpenReview } from '../store/runs/runs.ts'
import { listRecoveryRequests, type TaskExceptionRow } from '../store/tasks/task-exceptions.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'
import { findQueuedOrderOf } from '../store/work-orders/work-orders.ts'

/** The decision of an operator that a task waits for, by the subject under which the review console lists it. */
export async function pendingReviewOf(
  tx: Tx,
  task: TaskRow,
  exception: TaskExceptionRow | undefined,
): Promise<PendingReview | undefined> {
  const { task_id, state, agent_id, run_id, review_decision } = task
  const since = task.changed_at.toISOString()
  if (exception !== undefined) return recoveryInReview(tx, exception)
  if (state === 'trust_pending' && agent_id !== null) return { kind: 'agent', id: agent_id, since }
  if (state === 'credit_funded' && review_decision === null) {
    const order = await findQueuedOrderOf(tx, task_id)
    return order === undefined
      ? { kind: 'task', id: task_id, since }
      : { kind: 'work_order', id: order, since }
  }
  const isAtWork = state === 'operating' || state === 'result_ready'
  const review = isAtWork && run_id !== null ? await findOpenReview(tx, run_id) : undefined
  return review && { kind: 'loop_step', id: review.run_id, since: review.started_at.toISOString() }
}

async function recoveryInReview(
  tx: Tx,
  { exception_id }: TaskExceptionRow,
): Promise<PendingReview | undefined> {
  const requests = await listRecoveryRequests(tx, exception_id)
  const asked = requests.find(({ state }) => state === 'requested')
  return (
    asked && { kind: 'recovery', id: asked.recovery_id, since: asked.requested_at.toISOString() }
  )
}
