import { ownMove } from '#domain/runs/automatic-transitions.ts'
import type { TaskEvent } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import type { StateLimits } from '../../workflows/shared/timing.ts'
import { timing } from '../../workflows/shared/timing.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'
import { reportStop } from './callbacks.ts'
import { chargeResult } from './credit.ts'
import type { TaskDeps } from './deps.ts'
import { expireClaim } from './exchange.ts'
import { factsOf } from './facts.ts'
import { recordTransition } from './transition.ts'

/** Makes every transition of the locked task that needs no caller, until it waits; returns the row after them. */
export async function makeAutomaticTransitions(
  deps: TaskDeps,
  tx: Tx,
  { task, limits = timing.task.limits }: { task: TaskRow; limits?: StateLimits },
): Promise<TaskRow> {
  let after = task
  for (;;) {
    await chargeResult(deps, tx, after)
    await expireClaim(tx, after)
    const next = ownMove(await factsOf(deps, tx, after))
    if (next === undefined) {
      await reportStop(tx, after)
      return after
    }
    const eventId = `own:${after.sequence + 1}`
    const input = { taskId: after.task_id, eventId, actor: 'service', ...next, limits }
    after = await recordTransition(deps, tx, input)
  }
}

/** Records the events that one command causes for one task; their ids derive from the command. */
export const eventRecorder =
  (deps: TaskDeps, tx: Tx, { taskId, command }: { taskId: string; command: string }) =>
  <Event extends TaskEvent>(
    event: Event,
    actor: string,
    data: TaskEventData[Event],
  ): Promise<TaskRow> =>
    recordTransition(deps, tx, { taskId, eventId: `${command}:${event}`, event, actor, data })
