import { timing } from '../../workflows/timing.ts'
import type { Tx } from '../store/db.ts'
import { dropTaskInput, requireTask } from '../store/tasks.ts'
import { decideWorkOrder, isUnpaidFor, listOrderedTasks, lockWorkOrder } from '../store/work-orders.ts'
import type { TaskDeps } from '../tasks/deps.ts'
import { goOn, moverOf } from '../tasks/moves.ts'

/** Names the decision in orders that ended undecided. */
export const LAPSED = 'lapsed'

/**
 * Closes the tasks of an order that an operator did not decide in time and removes their inputs; its receipts stay. Answers the tasks,
 * whose workflows then end; undefined where the order is decided or money was asked for it.
 */
export async function closeLapsed(deps: TaskDeps, tx: Tx, workOrderId: string): Promise<string[] | undefined> {
  const order = await lockWorkOrder(tx, workOrderId)
  if (order === undefined || order.decision !== null || !(await isUnpaidFor(tx, workOrderId))) return undefined
  const tasks = await listOrderedTasks(tx, workOrderId)
  for (const { task_id, state } of tasks) {
    if (state === 'closed') continue
    const move = moverOf(deps, tx, task_id, LAPSED)
    const detail = 'the order was not decided in time'
    await move('exception_raised', 'service', { code: 'deadline_passed', detail })
    await goOn(deps, tx, await move('abandoned', 'service', {}), timing.task.limits)
    await dropTaskInput(tx, await requireTask(tx, task_id))
  }
  return tasks.map(({ task_id }) => task_id)
}

/** Rejects an order whose tasks were closed, unless it is decided. */
export async function rejectLapsed(tx: Tx, workOrderId: string): Promise<void> {
  const order = await lockWorkOrder(tx, workOrderId)
  if (order?.decision === null) await decideWorkOrder(tx, workOrderId, { decision: 'reject', decision_id: LAPSED })
}
