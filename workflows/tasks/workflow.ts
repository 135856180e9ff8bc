import * as wf from '@temporalio/workflow'
import { taskWait } from '#domain/tasks/wait.ts'
import { withoutAttentionAfter } from '../shared/attention.ts'
import { shortSteps } from '../shared/local-activities.ts'
import { createMutex } from '../shared/mutex.ts'
import { isLong, refuseIfEnding } from '../shared/renewal.ts'
import { showSignal, wakeSignal } from '../shared/signals.ts'
import { timing } from '../shared/timing.ts'
import { newTraces } from '../shared/trace.ts'
import type { TaskSnapshot, TaskSteps } from './activities.ts'
import { taskAttributes, taskDetails } from './details.ts'
import { advanceUpdate, viewQuery } from './messages.ts'
import { openWork, type Work, wakeTasks, workOf } from './work.ts'

const steps = shortSteps<TaskSteps>()

/**
 * One task from its submission until it is closed. Postgres is the source of truth: events of callers and operators are stored
 * before this workflow is notified, which then makes the automatic transitions; a new run can continue any task from its stored state.
 */
export function task(taskId: string): Promise<void> {
  return withoutAttentionAfter(() => driveTask(taskId))
}

async function driveTask(taskId: string): Promise<void> {
  const state = openTask(taskId)
  setHandlers(state)
  // The first update usually returns the row; only a run that continues a stored task loads it.
  await wf.condition(wf.allHandlersFinished)
  if (state.known === null) await state.advance()

  while (isOpen(state.known) && !isLong(state)) {
    await wakeTasks(state.toWake.splice(0))
    const work = workOf(state.known)
    if (work !== undefined) await follow(state, state.known, work)
    else if (!(await waitForChange(state, state.known))) break
  }
  await leave(state, taskId)
}

const isOpen = (task: TaskSnapshot | null): task is TaskSnapshot =>
  task !== null && task.state !== 'closed'

/** Ends this run. An open task continues in a new run if this one was long, or if an update or signal arrived at its end. */
async function leave(state: OpenTask, taskId: string): Promise<void> {
  const seen = state.known?.sequence
  state.ending = true
  await wf.condition(wf.allHandlersFinished)
  await wakeTasks(state.toWake.splice(0))
  const called = state.woken || state.known?.sequence !== seen
  if (isOpen(state.known) && (called || isLong(state))) await wf.continueAsNew<typeof task>(taskId)
}

type OpenTask = ReturnType<typeof openTask>

/** The task as this run knows it, and its short steps, of which only one runs at a time. */
function openTask(taskId: string) {
  const exclusively = createMutex()
  const state = {
    known: null as TaskSnapshot | null,
    version: 0,
    woken: false,
    ending: false,
    updates: 0,
    toWake: [] as string[],
    work: openWork(),

    advance: async (leftSlot = false): Promise<void> => {
      state.woken = false
      const step = steps('make the transitions that are due')
      learn(await exclusively(() => step.advanceTask({ taskId, leftSlot })))
    },
    stop: async (): Promise<void> =>
      learn(await exclusively(() => steps('stop the task').stopTask(taskId))),
  }
  function learn(snapshot: TaskSnapshot | null): void {
    if (snapshot === null) return
    state.known = snapshot
    state.version += 1
    state.toWake.push(...snapshot.wakes)
    publish(snapshot)
  }
  return state
}

function setHandlers(state: OpenTask): void {
  const onAdvance = (): Promise<void> => {
    state.updates += 1
    return state.advance()
  }
  const wake = (): void => {
    state.woken = true
    state.work.wake()
  }
  wf.setHandler(advanceUpdate, onAdvance, {
    validator: () => refuseIfEnding(state),
    description: 'Make the automatic transitions that the stored task allows.',
  })
  wf.setHandler(wakeSignal, wake, {
    description: 'Read the stored task again and continue; its run does the same.',
  })
  wf.setHandler(showSignal, () => state.advance(), {
    description: 'Read the stored task again and show it.',
  })
  wf.setHandler(viewQuery, () => state.known, { description: 'The task as this run knows it.' })
}

/** Waits for an event, a wake or the end of the time; false if the task was idle for so long that the run may close. */
async function waitForChange(state: OpenTask, known: TaskSnapshot): Promise<boolean> {
  const seen = state.version
  const queued = known.state === 'queued'
  // Temporal refuses a summary over 400 bytes, and with it the whole workflow task.
  const summary = `waits for ${taskWait(known).what}`.slice(0, 100)
  // Updates that change nothing also make the run long.
  const called = () => state.version !== seen || state.woken || isLong(state)
  const waitMs = queued ? timing.task.queued : timing.task.idle
  const inTime = await wf.condition(called, known.dueInMs ?? waitMs, { summary })
  if (state.woken || !inTime) await state.advance()
  return inTime || queued || known.dueInMs !== null || state.known?.sequence !== known.sequence
}

/** Runs the child workflow of the task's work. An event that ends the work, or a renewal of this run, releases the child. */
async function follow(state: OpenTask, known: TaskSnapshot, work: Work): Promise<void> {
  const atWork = () => workOf(state.known)?.id === work.id
  const end = await state.work.follow(known, work, () => atWork() && !isLong(state))
  if (end === 'closing') {
    const summary = `another workflow runs the ${work.kind}`
    await wf.condition(() => state.woken || !atWork(), timing.task.elsewhere[work.kind], {
      summary,
    })
    await state.advance()
  } else if (end === 'failed' && atWork()) await state.stop()
  else await state.advance(work.kind === 'run')
}

/** Shows the task in the UI. Attributes are written only if one has changed, because each write costs the server. */
function publish(task: TaskSnapshot): void {
  wf.setCurrentDetails(taskDetails(task))
  const current = wf.workflowInfo().typedSearchAttributes
  const changed = taskAttributes(task).filter(
    ({ key, value }) => current.get(key) !== (value ?? undefined),
  )
  // Most events change the state, so new traces wait for the next change.
  if (changed.length > 0) changed.push(...newTraces())
  if (changed.length > 0) wf.upsertSearchAttributes(changed)
}
