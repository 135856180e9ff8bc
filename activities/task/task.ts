import { DomainError, isRetryable, refuse } from '#domain/core/errors.ts'
import { nextTaskState } from '#domain/tasks/lifecycle.ts'
import type { StateLimits } from '../../workflows/shared/timing.ts'
import type { EventResult, TaskSnapshot, TaskSteps } from '../../workflows/task/activities.ts'
import { isConstraintViolation, type Tx, transaction } from '../store/postgres/db.ts'
import { lockTask, requireTask, type TaskRow } from '../store/tasks/tasks.ts'
import { makeAutomaticTransitions } from './automatic-transitions.ts'
import type { TaskDeps } from './deps.ts'
import { listStartable } from './slots.ts'
import { snapshotOf } from './snapshot.ts'
import type { TaskEventInput } from './task-event.ts'
import { recordTransition } from './transition.ts'

/** The short durable steps of a task: each is one transaction and may run twice. */
export function createTaskSteps(deps: TaskDeps): TaskSteps {
  return {
    recordEvent: (input) => asResult(() => recordEvent(deps, input as RecordedEvent)),
    advanceTask: (input) => advance(deps, input),
  }
}

type RecordedEvent = TaskEventInput & { limits: StateLimits }

/** Records an event and the transitions that follow. The event is kept when one of those is refused, which stops the task. */
async function recordEvent(deps: TaskDeps, input: RecordedEvent): Promise<TaskSnapshot> {
  const { taskId, limits } = input
  let isRecorded = false
  try {
    return await transaction(deps.db, async (tx) => {
      const before = await lockTask(tx, taskId)
      const task = await recordTransition(deps, tx, input)
      isRecorded = true
      return settle(deps, tx, { task, limits, leftSlot: before?.state === 'operating' })
    })
  } catch (error) {
    if (!isRecorded || !isRefusal(error)) throw error
    await transaction(deps.db, (tx) => recordTransition(deps, tx, input))
    const advanced = await advance(deps, { taskId, limits, leftSlot: true })
    if (advanced === null) throw error
    return advanced
  }
}

type Advance = { taskId: string; limits: StateLimits; leftSlot: boolean }

async function advance(deps: TaskDeps, input: Advance): Promise<TaskSnapshot | null> {
  const { taskId, limits, leftSlot } = input
  try {
    return await transaction(deps.db, async (tx) => {
      const task = await lockTask(tx, taskId)
      return task === undefined ? null : settle(deps, tx, { task, limits, leftSlot })
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    return transaction(deps.db, (tx) => stop(deps, tx, { ...input, cause: error }))
  }
}

/** An automatic transition that is refused once would be refused again: an exception stops the task until it is recovered. */
async function stop(
  deps: TaskDeps,
  tx: Tx,
  { taskId, limits, leftSlot, cause }: Advance & { cause: Error },
): Promise<TaskSnapshot> {
  const task = await requireTask(tx, taskId)
  if (nextTaskState(task.state, 'exception_raised') === undefined) throw cause
  const code = task.state === 'attested' ? 'credit_mismatch' : 'worker_failed'
  const detail = `the service could not continue: ${cause.message}`.slice(0, 500)
  const after = await recordTransition(deps, tx, {
    taskId,
    eventId: `own:${task.sequence + 1}`,
    event: 'exception_raised',
    actor: 'service',
    data: { code, detail },
    limits,
  })
  return snapshot(deps, tx, { task: after, leftSlot })
}

type Settling = { task: TaskRow; limits: StateLimits; leftSlot: boolean }

async function settle(
  deps: TaskDeps,
  tx: Tx,
  { task, limits, leftSlot }: Settling,
): Promise<TaskSnapshot> {
  const after = await makeAutomaticTransitions(deps, tx, { task, limits })
  return snapshot(deps, tx, { task: after, leftSlot })
}

/** What the workflow receives, with the tasks to wake where this task has left its run slot. */
async function snapshot(
  deps: TaskDeps,
  tx: Tx,
  { task, leftSlot }: Omit<Settling, 'limits'>,
): Promise<TaskSnapshot> {
  const frees = leftSlot && task.state !== 'operating'
  return snapshotOf(tx, task, frees ? await listStartable(deps, tx, task) : [])
}

/** Whether a rule of the service or of the database refused, which would refuse again; an outage is no refusal. */
function isRefusal(error: unknown): error is Error {
  return error instanceof DomainError
    ? !isRetryable(error.refusal.code)
    : isConstraintViolation(error)
}

/** A refusal is returned as a result, because Temporal keeps a thrown error for the whole run. A violated constraint is one too. */
async function asResult(run: () => Promise<TaskSnapshot>): Promise<EventResult> {
  try {
    return { ok: true, snapshot: await run() }
  } catch (error) {
    if (error instanceof DomainError) return { ok: false, refusal: error.refusal }
    if (!isConstraintViolation(error)) throw error
    return {
      ok: false,
      refusal: refuse('internal_error', {
        detail: 'the database refuses this transition',
      }).refusal,
    }
  }
}
