import { type RunOutcome, runOutcome } from '#domain/runs/outcome.ts'
import type { TaskEvent } from '#domain/tasks/lifecycle.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { latestEvent } from '../../../activities/store/tasks/agent-runs.ts'
import { findReturnPackage } from '../../../activities/store/tasks/runs.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/task/facts.ts'

/** The outcome of the run of a task, by its row and its ledger. */
export async function outcomeOf(
  tx: Tx,
  { task_id, state }: Pick<TaskRow, 'task_id' | 'state'>,
): Promise<RunOutcome> {
  return runOutcome(state, {
    receiptsIssued: await has(tx, task_id, 'receipts_issued'),
    abandoned: await has(tx, task_id, 'abandoned'),
  })
}

/** Whether the result of a task is delivered: its receipts are issued. An attested result that is not charged yet is not. */
export const isDelivered = (tx: Tx, taskId: string) => has(tx, taskId, 'receipts_issued')

/** The package of the run of a task, once it is delivered. */
export const deliveredPackage = async (tx: Tx, taskId: string) =>
  (await isDelivered(tx, taskId)) ? findReturnPackage(tx, runIdOf(taskId)) : undefined

async function has(tx: Tx, taskId: string, event: TaskEvent): Promise<boolean> {
  return (await latestEvent(tx, taskId, event)) !== undefined
}
