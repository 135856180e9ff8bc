import { type RunOutcome, runOutcome } from '#domain/runs/outcome.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { hasEvent } from '../../../activities/store/runs/agent-runs.ts'
import { findReturnPackage } from '../../../activities/store/runs/runs.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'

/** The outcome of the run of a task, by its row and its ledger. */
export async function outcomeOf(
  tx: Tx,
  { task_id, state }: Pick<TaskRow, 'task_id' | 'state'>,
): Promise<RunOutcome> {
  return runOutcome(state, {
    receiptsIssued: await isDelivered(tx, task_id),
    abandoned: await hasEvent(tx, task_id, 'abandoned'),
  })
}

/** Whether the result of a task is delivered: its receipts are issued. An attested result that is not charged yet is not. */
export const isDelivered = (tx: Tx, taskId: string) => hasEvent(tx, taskId, 'receipts_issued')

/** The package of the run of a task, once it is delivered. */
export const deliveredPackage = async (tx: Tx, taskId: string) =>
  (await isDelivered(tx, taskId)) ? findReturnPackage(tx, runIdOf(taskId)) : undefined
