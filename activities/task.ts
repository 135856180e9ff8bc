import { DomainError, refuse } from '../workflows/domain/errors.ts'
import { ownMove } from '../workflows/domain/task-moves.ts'
import type { EventResult, StateLimits, TaskSteps } from '../workflows/task/ports.ts'
import { isConstraintViolation, type Tx, transaction } from './store/db.ts'
import { lockTask, type TaskRow } from './store/tasks.ts'
import { chargeResult } from './tasks/credit.ts'
import type { TaskDeps } from './tasks/deps.ts'
import { factsOf } from './tasks/facts.ts'
import { listWoken } from './tasks/slots.ts'
import { snapshotOf } from './tasks/snapshot.ts'
import { type AskedMove, recordTransition } from './tasks/transition.ts'

/** The short durable steps of a task: each one transaction, each the same when it runs twice. */
export function createTaskSteps(deps: TaskDeps): TaskSteps {
  return {
    recordEvent: async ({ limits, ...input }) => {
      const asked = input as AskedMove
      const run = () =>
        transaction(deps.db, async (tx) => {
          const before = await lockTask(tx, asked.taskId)
          const moved = await recordTransition(deps, tx, asked, limits)
          return settled(deps, tx, { moved, limits, leftSlot: before?.state === 'operating' })
        })
      return asResult(run)
    },
    advanceTask: ({ taskId, limits, leftSlot }) =>
      transaction(deps.db, async (tx) => {
        const before = await lockTask(tx, taskId)
        return before === undefined ? null : settled(deps, tx, { moved: before, limits, leftSlot })
      }),
  }
}

type Stage = { moved: TaskRow; limits: StateLimits; leftSlot: boolean }

/** The task once it has made every move that it makes by itself. */
async function settled(deps: TaskDeps, tx: Tx, { moved, limits, leftSlot }: Stage) {
  let task = moved
  for (;;) {
    await chargeResult(deps, tx, task)
    const move = ownMove(await factsOf(deps, tx, task))
    if (move === undefined) break
    const eventId = `own:${task.sequence + 1}`
    task = await recordTransition(deps, tx, { taskId: task.task_id, eventId, actor: 'service', ...move }, limits)
  }
  return snapshotOf(tx, task, leftSlot && task.state !== 'operating' ? await listWoken(deps, tx, task) : [])
}

/** A refusal is a result: Temporal would remember a thrown one for the run. What the database's guards refuse is one too. */
async function asResult(run: () => ReturnType<typeof settled>): Promise<EventResult> {
  try {
    return { ok: true, snapshot: await run() }
  } catch (error) {
    if (error instanceof DomainError) return { ok: false, refusal: error.refusal }
    if (!isConstraintViolation(error)) throw error
    return {
      ok: false,
      refusal: refuse('internal_error', 'the database refuses this move', 'Tell the operator.').refusal,
    }
  }
}
