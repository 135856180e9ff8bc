import { refuse } from '#domain/core/errors.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findTaskOfRun } from '../../../activities/store/runs/agent-runs.ts'
import { lockTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { findOrderOf } from '../../../activities/store/work-orders/work-orders.ts'
import { owns, type TaskCaller } from '../tasks/access.ts'

/** The task of a run, locked, so that all that is read with it is consistent. 404 for an unknown run, and for that of another. */
export async function ownRun(tx: Tx, caller: TaskCaller, runId: string): Promise<TaskRow> {
  const found = await findTaskOfRun(tx, runId)
  const task = found && (await lockTask(tx, found.task_id))
  if (task !== undefined && (await mayRead(tx, caller, task))) return task
  throw refuse('not_found', { detail: 'no run of yours has this id' })
}

/** The token of an order reads the runs of that order, and no other run of its agent. */
const mayRead = async (tx: Tx, caller: TaskCaller, task: TaskRow): Promise<boolean> =>
  caller.workOrderId === undefined
    ? owns(caller, task)
    : (await findOrderOf(tx, task.task_id)) === caller.workOrderId
