import { oneLine } from '#domain/core/plain-text.ts'
import type { PendingReview } from '#domain/reviews/wait.ts'
import { allowedRecoveries } from '#domain/tasks/exception.ts'
import type { TaskSnapshot } from '../../workflows/tasks/activities.ts'
import { latestDelivery } from '../store/callbacks/callback-deliveries.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import { findOpenReview } from '../store/runs/runs.ts'
import {
  listRecoveryRequests,
  openTaskException,
  openTicket,
  type TaskExceptionRow,
} from '../store/tasks/task-exceptions.ts'
import { listLedger, type TaskRow } from '../store/tasks/tasks.ts'
import { findOrderOf, findQueuedOrderOf } from '../store/work-orders/work-orders.ts'
import { heldForExchange } from './exchange.ts'
import { readGaps } from './gaps.ts'

/** The decision of an operator that a task waits for, by the subject under which the review console lists it. */
async function pendingReviewOf(
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

/** The history of the workflow keeps every snapshot. */
const DETAIL_MAX = 500

/** The facts of a task that the workflow receives after each step. */
export async function snapshotOf(tx: Tx, task: TaskRow, wakes: string[]): Promise<TaskSnapshot> {
  const [last] = await listLedger(tx, task.task_id, { from: task.sequence })
  const exception =
    task.resume_state === null ? undefined : await openTaskException(tx, task.task_id)
  const dispute = task.state === 'closed' ? await openTicket(tx, task.task_id) : undefined
  const exchangeUntil = await heldForExchange(tx, task)
  const due = exchangeUntil ?? task.due_at
  const dueInMs =
    due === null ? null : Math.max(0, Math.ceil(due.getTime() - (await clockSeconds(tx)) * 1000))
  return {
    taskId: task.task_id,
    state: task.state,
    since: task.changed_at.toISOString(),
    resumeState: task.resume_state,
    sequence: task.sequence,
    lastEvent: last?.event ?? 'submit',
    agentId: task.agent_id,
    rail: task.rail,
    tier: task.tier,
    usage: task.usage,
    hasInput: task.input_sha256 !== null,
    isReviewed: task.review_decision !== null,
    ...(exchangeUntil === undefined ? {} : { onExchange: true as const }),
    runId: task.run_id,
    contractId: task.contract_id,
    quoteId: task.quote_id,
    entitlementId: task.entitlement_id,
    deliveryId: await openDeliveryOf(tx, task),
    exception: exception === undefined ? null : await exceptionOf(tx, task, exception),
    ...(dispute === undefined ? {} : { dispute: disputeOf(dispute) }),
    gaps: task.state === 'evidence_partial' ? await readGaps(tx, task.run_id ?? '') : [],
    review: (await pendingReviewOf(tx, task, exception)) ?? null,
    dueInMs,
    wakes,
  }
}

const disputeOf = ({ exception_id: id, opened_at }: TaskExceptionRow) => ({
  id,
  since: opened_at.toISOString(),
})

async function exceptionOf(tx: Tx, task: TaskRow, exception: TaskExceptionRow) {
  const { exception_id, code, detail, proposed_input_sha256: inputSha256 } = exception
  const workOrderId =
    inputSha256 === null || task.agent_id !== null ? undefined : await findOrderOf(tx, task.task_id)
  return {
    id: exception_id,
    code,
    detail: oneLine(detail, DETAIL_MAX),
    recoveries: allowedRecoveries(code),
    consent:
      workOrderId === undefined || inputSha256 === null ? null : { workOrderId, inputSha256 },
  }
}

async function openDeliveryOf(tx: Tx, { task_id, state }: TaskRow): Promise<string | null> {
  if (state !== 'callback_pending') return null
  return (await latestDelivery(tx, task_id, 'task_updated'))?.delivery_id ?? null
}
