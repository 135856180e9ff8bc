import { DomainError, isRetryable, refuse } from '../workflows/domain/errors.ts'
import { nextTaskState } from '../workflows/domain/task-lifecycle.ts'
import type { EventResult, StateLimits, TaskSnapshot, TaskSteps } from '../workflows/task/ports.ts'
import { isConstraintViolation, type Tx, transaction } from './store/db.ts'
import { lockTask, requireTask, type TaskRow } from './store/tasks.ts'
import type { TaskDeps } from './tasks/deps.ts'
import { goOn } from './tasks/moves.ts'
import { listWoken } from './tasks/slots.ts'
import { snapshotOf } from './tasks/snapshot.ts'
import { type AskedMove, recordTransition } from './tasks/transition.ts'

/** The short durable steps of a task: each one transaction, each the same when it runs twice. */
export function createTaskSteps(deps: TaskDeps): TaskSteps {
  return {
    recordEvent: ({ limits, ...input }) => asResult(() => record(deps, input as AskedMove, limits)),
    advanceTask: (input) => advance(deps, input),
  }
}

/** An event stands even where what follows from it by itself is refused, which then stops the task. */
async function record(deps: TaskDeps, asked: AskedMove, limits: StateLimits): Promise<TaskSnapshot> {
  let follows = false
  try {
    return await transaction(deps.db, async (tx) => {
      const before = await lockTask(tx, asked.taskId)
      const moved = await recordTransition(deps, tx, asked, limits)
      follows = true
      return settled(deps, tx, { moved, limits, leftSlot: before?.state === 'operating' })
    })
  } catch (error) {
    if (!follows || !isRefusal(error)) throw error
    await transaction(deps.db, (tx) => recordTransition(deps, tx, asked, limits))
    const advanced = await advance(deps, { taskId: asked.taskId, limits, leftSlot: true })
    if (advanced === null) throw error
    return advanced
  }
}

type Advance = { taskId: string; limits: StateLimits; leftSlot: boolean }

async function advance(deps: TaskDeps, { taskId, limits, leftSlot }: Advance): Promise<TaskSnapshot | null> {
  const moves = async (tx: Tx) => {
    const moved = await lockTask(tx, taskId)
    return moved === undefined ? null : settled(deps, tx, { moved, limits, leftSlot })
  }
  try {
    return await transaction(deps.db, moves)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return transaction(deps.db, (tx) => stop(deps, tx, { taskId, limits, leftSlot }, error))
  }
}

/** A move of its own that is refused would be refused again: the task is stopped where it stood before, until it is recovered. */
async function stop(
  deps: TaskDeps,
  tx: Tx,
  { taskId, limits, leftSlot }: Advance,
  cause: Error,
): Promise<TaskSnapshot> {
  const task = await requireTask(tx, taskId)
  if (nextTaskState(task.state, 'exception_raised') === undefined) throw cause
  const code = task.state === 'attested' ? 'credit_mismatch' : 'worker_failed'
  const data = { code, detail: `the service could not go on: ${cause.message}`.slice(0, 500) } as const
  const raised = { taskId, eventId: `own:${task.sequence + 1}`, event: 'exception_raised', actor: 'service' } as const
  return told(deps, tx, await recordTransition(deps, tx, { ...raised, data }, limits), leftSlot)
}

type Stage = { moved: TaskRow; limits: StateLimits; leftSlot: boolean }

const settled = async (deps: TaskDeps, tx: Tx, { moved, limits, leftSlot }: Stage): Promise<TaskSnapshot> =>
  told(deps, tx, await goOn(deps, tx, moved, limits), leftSlot)

const told = async (deps: TaskDeps, tx: Tx, task: TaskRow, leftSlot: boolean): Promise<TaskSnapshot> =>
  snapshotOf(tx, task, leftSlot && task.state !== 'operating' ? await listWoken(deps, tx, task) : [])

/** Whether this would be refused again, by a rule of the service or of the database; what is only away comes back. */
function isRefusal(error: unknown): error is Error {
  return error instanceof DomainError ? !isRetryable(error.refusal.code) : isConstraintViolation(error)
}

/** A refusal is a result: Temporal would remember a thrown one for the run. What the database's guards refuse is one too. */
async function asResult(run: () => Promise<TaskSnapshot>): Promise<EventResult> {
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
