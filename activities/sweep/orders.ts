import { transaction } from '../store/postgres/db.ts'
import { listUndecided } from '../store/work-orders/work-orders.ts'
import type { TaskDeps } from '../tasks/deps.ts'
import { closeLapsed, rejectLapsed } from '../tasks/order-lapse.ts'

const PAGE = 100

/** Closes public orders that were not decided in time. Each is rejected after its tasks were woken, so a repeat wakes them again. */
export async function closeUndecided(
  tasks: TaskDeps,
  keepMs: number,
  wakeTask: (taskId: string) => Promise<unknown>,
): Promise<void> {
  const { db } = tasks
  for (const workOrderId of await listUndecided(db, keepMs, PAGE)) {
    const closed = await transaction(db, (tx) => closeLapsed(tasks, tx, workOrderId))
    if (closed === undefined) continue
    for (const taskId of closed) await wakeTask(taskId)
    await transaction(db, (tx) => rejectLapsed(tx, workOrderId))
  }
}
