import type { Tx } from '../store/postgres/db.ts'
import { dropTaskInput, requireTask } from '../store/tasks/tasks.ts'
import {
  decideWorkOrder,
  isUnpaidFor,
  listOrderedTasks,
  lockWorkOrder,
} from '../store/work-orders/work-orders.ts'
import { eventRecorder, makeAutomaticTransitions } from './automatic-transitions.ts'
import type { TaskDeps } from './deps.ts'

/** The decision id of orders that no operator decided in time. */
const LAPSED = 'lapsed'

/**
 * Closes the tasks of an order that no operator decided in time, and removes their inputs; the receipts stay. Returns the tasks,
 * whose workflows then end; undefined where the order is decided or a payment was requested for it.
 */
export async function closeLapsed(
  deps: TaskDeps,
  tx: Tx,
  workOrderId: string,
): Promise<string[] | undefined> {
  const order = await lockWorkOrder(tx, workOrderId)
  if (order === undefined || order.decision !== null || !(await isUnpaidFor(tx, workOrderId)))
    return undefined
  const tasks = await listOrderedTasks(tx, workOrderId)
  for (const { task_id, state } of tasks) {
    if (state === 'closed') continue
    const record = eventRecorder(deps, tx, { taskId: task_id, command: LAPSED })
    const detail = 'the order was not decided in time'
    await record('exception_raised', 'service', { code: 'deadline_passed', detail })
    const task = await record('abandoned', 'service', {})
    await makeAutomaticTransitions(deps, tx, { task })
    await dropTaskInput(tx, await requireTask(tx, task_id))
  }
  return tasks.map(({ task_id }) => task_id)
}

/** Rejects an order whose tasks were closed, unless it is decided. */
export async function rejectLapsed(tx: Tx, workOrderId: string): Promise<void> {
  const order = await lockWorkOrder(tx, workOrderId)
  if (order?.decision === null)
    await decideWorkOrder(tx, workOrderId, { decision: 'reject', decision_id: LAPSED })
}
