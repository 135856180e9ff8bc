import type { TaskEvent } from '../../workflows/domain/task-lifecycle.ts'
import { ownMove } from '../../workflows/domain/task-moves.ts'
import type { TaskEventData } from '../../workflows/domain/task-terms.ts'
import type { StateLimits } from '../../workflows/task/ports.ts'
import { timing } from '../../workflows/timing.ts'
import type { Tx } from '../store/db.ts'
import type { TaskRow } from '../store/tasks.ts'
import { chargeResult } from './credit.ts'
import type { TaskDeps } from './deps.ts'
import { factsOf } from './facts.ts'
import { recordTransition } from './transition.ts'

/** The locked task once it has made every move that it makes by itself. */
export async function goOn(deps: TaskDeps, tx: Tx, moved: TaskRow, limits: StateLimits): Promise<TaskRow> {
  let task = moved
  for (;;) {
    await chargeResult(deps, tx, task)
    const move = ownMove(await factsOf(deps, tx, task))
    if (move === undefined) return task
    const eventId = `own:${task.sequence + 1}`
    task = await recordTransition(deps, tx, { taskId: task.task_id, eventId, actor: 'service', ...move }, limits)
  }
}

/** Moves of one task that come of one act, whose event ids are named after it. */
export const moverOf =
  (deps: TaskDeps, tx: Tx, taskId: string, act: string) =>
  <Event extends TaskEvent>(event: Event, actor: string, data: TaskEventData[Event]): Promise<TaskRow> =>
    recordTransition(deps, tx, { taskId, eventId: `${act}:${event}`, event, actor, data }, timing.task.limits)
