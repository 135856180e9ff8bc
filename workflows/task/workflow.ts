import * as wf from '@temporalio/workflow'
import { refuse } from '../domain/core/errors.ts'
import { taskEvents } from '../domain/tasks/lifecycle.ts'
import { taskWait } from '../domain/tasks/wait.ts'
import { withoutAttentionAfter } from '../shared/attention.ts'
import { shortSteps } from '../shared/local-activities.ts'
import { createMutex } from '../shared/mutex.ts'
import { isLong, refuseIfEnding } from '../shared/renewal.ts'
import { showSignal, wakeSignal } from '../shared/signals.ts'
import { timing } from '../shared/timing.ts'
import type { EventInput, EventResult, TaskSnapshot, TaskSteps } from './activities.ts'
import { taskAttributes } from './attributes.ts'
import { taskDetails } from './details.ts'
import { advanceUpdate, eventUpdate, viewQuery } from './messages.ts'
import { openWork, type Work, wakeTasks, workOf } from './work.ts'

const { limits } = timing.task

const steps = shortSteps<TaskSteps>()

/**
 * One task from its submission until it is closed. Postgres is the truth and this is the will: an event is recorded with all
 * that follows from it by itself, and a run goes on from the stored state, so any task can be picked up by a new run.
 */
export function task(taskId: string): Promise<void> {
  return withoutAttentionAfter(() => driveTask(taskId))
}

async function driveTask(taskId: string): Promise<void> {
  const state = openTask(taskId)
  setHandlers(state)
  // The first update usually brings the row with it; loading is for runs that pick a task up.
  await wf.condition(wf.allHandlersFinished)
  if (state.known === null) await state.advance()
  if (state.known === null)
    await wf.condition(() => state.known !== null, timing.waitForCreate, {
      summary: 'waits for its submission',
    })

  for (let goesOn = true; goesOn && isOpen(state.known) && !isLong(state); ) {
    await wakeTasks(state.toWake.splice(0))
    const work = workOf(state.known)
    goesOn =
      work === undefined ? await news(state, state.known) : await follow(state, state.known, work)
  }
  await leave(state, taskId)
}

const isOpen = (task: TaskSnapshot | null): task is TaskSnapshot =>
  task !== null && task.state !== 'closed'

/** Ends this run; a task that is not over goes on in a new one where this one was long, or was called while it ended. */
async function leave(state: OpenTask, taskId: string): Promise<void> {
  const seen = state.known?.sequence
  state.ending = true
  await wf.condition(wf.allHandlersFinished)
  await wakeTasks(state.toWake.splice(0))
  const called = state.woken || state.known?.sequence !== seen
  if (isOpen(state.known) && (called || isLong(state))) await wf.continueAsNew<typeof task>(taskId)
}

type OpenTask = ReturnType<typeof openTask>

/** A task as this run knows it, and its short steps, which take turns. */
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

    record: async (input: EventInput): Promise<EventResult> => {
      const result = await exclusively(() =>
        steps(input.event).recordEvent({ ...input, taskId, limits }),
      )
      if (result.ok) learn(result.snapshot)
      return result
    },
    advance: async (leftSlot = false): Promise<void> => {
      state.woken = false
      const advanced = await exclusively(() =>
        steps('make the moves that are due').advanceTask({ taskId, limits, leftSlot }),
      )
      if (advanced !== null) learn(advanced)
    },
  }
  function learn(snapshot: TaskSnapshot): void {
    state.known = snapshot
    state.version += 1
    state.toWake.push(...snapshot.wakes)
    publish(snapshot)
  }
  return state
}

function setHandlers(state: OpenTask): void {
  const onEvent = (input: EventInput): Promise<EventResult> => {
    state.updates += 1
    return state.record(input)
  }
  const onAdvance = async (): Promise<EventResult> => {
    state.updates += 1
    await state.advance()
    if (state.known !== null) return { ok: true, snapshot: state.known }
    return {
      ok: false,
      refusal: refuse('not_found', { detail: 'no such task', next_action: 'Check the task token.' })
        .refusal,
    }
  }
  const validator = ({ event }: EventInput): void => {
    refuseIfEnding(state)
    if (!taskEvents.includes(event))
      throw wf.ApplicationFailure.nonRetryable(`there is no event ${event}`)
  }
  const wake = (): void => {
    state.woken = true
    state.work.wake()
  }
  wf.setHandler(eventUpdate, onEvent, {
    validator,
    description: 'Move the task by one event of its table.',
  })
  wf.setHandler(advanceUpdate, onAdvance, {
    validator: (_why: string) => refuseIfEnding(state),
    description: 'Make the moves that follow from what is stored.',
  })
  wf.setHandler(wakeSignal, wake, {
    description: 'Read the stored task again and go on; its run does the same.',
  })
  wf.setHandler(showSignal, () => state.advance(), {
    description: 'Read the stored task again and show it.',
  })
  wf.setHandler(viewQuery, () => state.known, { description: 'The task as this run knows it.' })
}

/** Waits for an event, a wake, or the time to be up; false when nothing came for so long, and nothing was due, that the run may close. */
async function news(state: OpenTask, known: TaskSnapshot): Promise<boolean> {
  const seen = state.version
  const queued = known.state === 'queued'
  // Temporal refuses a summary over 400 bytes, and with it the whole workflow task.
  const summary = `waits for ${taskWait(known).what}`.slice(0, 100)
  // Refused events change nothing, and make the run long all the same.
  const called = () => state.version !== seen || state.woken || isLong(state)
  const came = await wf.condition(
    called,
    known.dueInMs ?? timing.task[queued ? 'queued' : 'idle'],
    { summary },
  )
  if (state.woken || !came) await state.advance()
  return came || queued || known.dueInMs !== null || state.known?.sequence !== known.sequence
}

/** Has the task's run or callback go on, as long as the task is at that work; whoever moves it elsewhere ends that, as a renewal does. */
async function follow(state: OpenTask, known: TaskSnapshot, work: Work): Promise<true> {
  const atWork = () => workOf(state.known)?.id === work.id
  const end = await state.work.follow(known, work, () => atWork() && !isLong(state))
  if (end.how === 'closing') {
    const summary = `another workflow has the ${work.kind}`
    await wf.condition(() => state.woken || !atWork(), timing.task.elsewhere[work.kind], {
      summary,
    })
    await state.advance()
  } else if (end.how === 'failed' && atWork()) {
    const code = work.kind === 'run' ? 'worker_failed' : 'callback_failed'
    const data = { code, detail: end.detail }
    const eventId = `${work.kind}-ended:${known.sequence}`
    await state.record({ eventId, event: 'exception_raised', actor: 'service', data })
  } else await state.advance(work.kind === 'run')
  return true
}

/** Shows the task in the UI; attributes are written only when one of them changed, because each write costs the server. */
function publish(task: TaskSnapshot): void {
  wf.setCurrentDetails(taskDetails(task))
  const current = wf.workflowInfo().typedSearchAttributes
  const changed = taskAttributes(task).filter(
    ({ key, value }) => current.get(key) !== (value ?? undefined),
  )
  if (changed.length > 0) wf.upsertSearchAttributes(changed)
}
