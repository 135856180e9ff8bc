import { type RunOutcome, runOutcome } from '#domain/runs/outcome.ts'
import type { TaskEvent } from '#domain/tasks/lifecycle.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { latestEvent } from '../../../activities/store/tasks/agent-runs.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'

/** The outcome of the run of a task, by its row and its ledger. */
export async function outcomeOf(
  tx: Tx,
  { task_id, state }: Pick<TaskRow, 'task_id' | 'state'>,
): Promise<RunOutcome> {
  const has = async (event: TaskEvent) => (await latestEvent(tx, task_id, event)) !== undefined
  return runOutcome(state, {
    receiptsIssued: await has('receipts_issued'),
    abandoned: await has('abandoned'),
  })
}
