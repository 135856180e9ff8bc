import { digestOf } from '#domain/core/canonical-json.ts'
import { mayCancel } from '#domain/runs/outcome.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { openTaskException } from '../../../activities/store/tasks/task-exceptions.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { recordTransition } from '../../../activities/tasks/transition.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { TaskActor } from '../tasks/access.ts'
import { requestRecovery } from '../tasks/recovery.ts'
import { ownRun } from './own-run.ts'

type Deps = TaskDeps & { gateway: Pick<TaskGateway, 'wake'> }

/**
 * Stops a run that has no result yet and abandons it, in one transaction, which gives back its credit. A run that has a result or
 * has ended stays as it is. Throws 409 `recovery_not_allowed` while a payment may be in progress, and 404.
 */
export async function cancelRun(deps: Deps, actor: TaskActor, runId: string): Promise<void> {
  const { db, gateway } = deps
  const { task_id, state, resume_state } = await transaction(db, (tx) => ownRun(tx, actor, runId))
  if (!mayCancel(state, resume_state)) return
  await gateway.wake(task_id)
  await transaction(db, async (tx) => {
    const task = await ownRun(tx, actor, runId)
    if (mayCancel(task.state, task.resume_state)) await abandon(deps, tx, { task, actor })
  })
  // The run is abandoned by now; the sweep wakes its workflow where this does not.
  await gateway.wake(task_id).catch(() => undefined)
}

async function abandon(
  deps: TaskDeps,
  tx: Tx,
  { task, actor: { actor } }: { task: TaskRow; actor: TaskActor },
): Promise<void> {
  const { task_id: taskId, sequence } = task
  const cancelId = digestOf({ type: 'service.cancel.v1', task_id: taskId, sequence })
  const exception =
    (await openTaskException(tx, taskId)) ?? (await stopped(deps, tx, { taskId, cancelId, actor }))
  await requestRecovery(deps, tx, {
    recoveryId: `rec_${cancelId}`,
    taskId,
    exceptionId: exception?.exception_id,
    action: 'abandon',
    input: undefined,
    note: CANCELLED,
    decided: false,
    actor,
  })
}

const CANCELLED = 'the agent cancels the run'

async function stopped(
  deps: TaskDeps,
  tx: Tx,
  { taskId, cancelId, actor }: { taskId: string; cancelId: string; actor: string },
) {
  const data = { code: 'caller_dispute', detail: CANCELLED } as const
  const raised = { event: 'exception_raised', eventId: `cancel:${cancelId}`, data } as const
  await recordTransition(deps, tx, { taskId, actor, ...raised })
  return openTaskException(tx, taskId)
}
