import { DomainError, isRetryable } from '#domain/core/errors.ts'
import { nextTaskState } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import { type StateLimits, timing } from '../../workflows/shared/timing.ts'
import type { TaskSnapshot, TaskSteps } from '../../workflows/tasks/activities.ts'
import { isConstraintViolation, type Tx, transaction } from '../store/postgres/db.ts'
import { lockTask, requireTask, type TaskRow } from '../store/tasks/tasks.ts'
import { makeAutomaticTransitions } from './automatic-transitions.ts'
import type { TaskDeps } from './deps.ts'
import { listStartable } from './slots.ts'
import { snapshotOf } from './snapshot.ts'
import { recordTransition } from './transition.ts'

type StepDeps = TaskDeps & { readonly limits: StateLimits }

/** The short durable steps of a task: each is one transaction and may run twice. `limits`: how long it may stay in a state. */
export function createTaskSteps(
  deps: TaskDeps,
  limits: StateLimits = timing.task.limits,
): TaskSteps {
  const limited = { ...deps, limits }
  return {
    advanceTask: ({ taskId, leftSlot }) =>
      inTask(limited, { taskId, leftSlot }, (tx, task) => settle(limited, tx, { task, leftSlot })),
    stopTask: (taskId) =>
      inTask(limited, { taskId, leftSlot: true }, (tx, task) => stopWork(limited, tx, task)),
  }
}

type Stepped = { taskId: string; leftSlot: boolean }

async function inTask(
  deps: StepDeps,
  { taskId, leftSlot }: Stepped,
  step: (tx: Tx, task: TaskRow) => Promise<TaskSnapshot>,
): Promise<TaskSnapshot | null> {
  try {
    return await transaction(deps.db, async (tx) => {
      const task = await lockTask(tx, taskId)
      return task === undefined ? null : step(tx, task)
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    return transaction(deps.db, async (tx) => {
      const task = await requireTask(tx, taskId)
      if (nextTaskState(task.state, 'exception_raised') === undefined) throw error
      const code = task.state === 'attested' ? 'credit_mismatch' : 'worker_failed'
      // A transition that is refused once would be refused again: an exception stops the task until it is recovered.
      const detail = `the service could not continue: ${error.message}`.slice(0, 500)
      const stopped = await stop(deps, tx, { task, data: { code, detail } })
      return snapshot(deps, tx, { task: stopped, leftSlot })
    })
  }
}

const works: Partial<Record<TaskRow['state'], TaskEventData['exception_raised']>> = {
  operating: { code: 'worker_failed', detail: 'the workflow of its run was ended' },
  result_ready: { code: 'worker_failed', detail: 'the workflow of its run was ended' },
  callback_pending: { code: 'callback_failed', detail: 'the workflow of its callback was ended' },
}

async function stopWork(deps: StepDeps, tx: Tx, task: TaskRow): Promise<TaskSnapshot> {
  const data = works[task.state]
  const after = data === undefined ? task : await stop(deps, tx, { task, data })
  return settle(deps, tx, { task: after, leftSlot: true })
}

type Stopping = { task: TaskRow; data: TaskEventData['exception_raised'] }

function stop({ limits, ...deps }: StepDeps, tx: Tx, { task, data }: Stopping): Promise<TaskRow> {
  const { task_id: taskId, sequence } = task
  const by = { eventId: `own:${sequence + 1}`, actor: 'service' } as const
  return recordTransition(deps, tx, { taskId, ...by, event: 'exception_raised', data, limits })
}

type Settling = { task: TaskRow; leftSlot: boolean }

async function settle(
  { limits, ...deps }: StepDeps,
  tx: Tx,
  { task, leftSlot }: Settling,
): Promise<TaskSnapshot> {
  const after = await makeAutomaticTransitions(deps, tx, { task, limits })
  return snapshot(deps, tx, { task: after, leftSlot })
}

/** What the workflow receives, with the tasks to wake where this task has left its run slot. */
async function snapshot(deps: TaskDeps, tx: Tx, { task, leftSlot }: Settling) {
  const frees = leftSlot && task.state !== 'operating'
  return snapshotOf(tx, task, frees ? await listStartable(deps, tx, task) : [])
}

/** Whether a rule of the service or of the database refused, which would refuse again; an outage is no refusal. */
function isRefusal(error: unknown): error is Error {
  return error instanceof DomainError
    ? !isRetryable(error.refusal.code)
    : isConstraintViolation(error)
}
