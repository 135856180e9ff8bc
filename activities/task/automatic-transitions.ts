import { ownMove } from '#domain/tasks/automatic-transitions.ts'
import type { TaskEvent } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import { timing } from '../../workflows/shared/timing.ts'
import type { StateLimits } from '../../workflows/task/activities.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'
import { chargeResult } from './credit.ts'
import type { TaskDeps } from './deps.ts'
import { factsOf } from './facts.ts'
import { recordTransition } from './transition.ts'

/** The locked task once it has made every move that it makes by itself. */
export async function advanceTask(
  deps: TaskDeps,
  tx: Tx,
  moved: TaskRow,
  limits: StateLimits,
): Promise<TaskRow> {
  let task = moved
  for (;;) {
    await chargeResult(deps, tx, task)
    const move = ownMove(await factsOf(deps, tx, task))
    if (move === undefined) return task
    const eventId = `own:${task.sequence + 1}`
    task = await recordTransition(
      deps,
      tx,
      { taskId: task.task_id, eventId, actor: 'service', ...move },
      limits,
    )
  }
}

/** Moves of one task that come of one act, whose event ids are named after it. */
export const moverOf =
  (deps: TaskDeps, tx: Tx, taskId: string, act: string) =>
  <Event extends TaskEvent>(
    event: Event,
    actor: string,
    data: TaskEventData[Event],
  ): Promise<TaskRow> =>
    recordTransition(
      deps,
      tx,
      { taskId, eventId: `${act}:${event}`, event, actor, data },
      timing.task.limits,
    )
