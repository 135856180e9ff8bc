import { refuse } from '#domain/core/errors.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findTaskOfRun } from '../../../activities/store/tasks/agent-runs.ts'
import { lockTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { assertOwner, owns, type TaskCaller } from '../tasks/access.ts'

/** The task of a run, locked, so that all that is read with it is consistent. 404 for an unknown run, 403 `not_owner`. */
export async function ownRun(tx: Tx, caller: TaskCaller, runId: string): Promise<TaskRow> {
  const found = await findTaskOfRun(tx, runId)
  const task = found && (await lockTask(tx, found.task_id))
  if (task === undefined) throw refuse('not_found', { detail: 'no such run' })
  assertOwner(caller, task)
  return task
}

/** The same, where the run of another caller is 404 as well. */
export async function visibleRun(tx: Tx, caller: TaskCaller, runId: string): Promise<TaskRow> {
  const task = await ownRun(tx, {}, runId)
  if (owns(caller, task)) return task
  throw refuse('not_found', { detail: 'no run of yours has this id' })
}
