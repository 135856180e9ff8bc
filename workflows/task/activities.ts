import type { Refusal } from '../domain/core/errors.ts'
import type { TaskEvent, TaskState } from '../domain/tasks/lifecycle.ts'
import type { WaitingTask } from '../domain/tasks/wait.ts'
import type { StateLimits } from '../shared/timing.ts'

/** The facts of a task that its workflow needs to continue from any state and to show what it waits for. */
export type TaskSnapshot = WaitingTask & {
  resumeState: TaskState | null
  /** The sequence number of the last ledger entry. */
  sequence: number
  lastEvent: TaskEvent
  usage: string
  /** The open callback, if the task waits for it. */
  deliveryId: string | null
  exception: (NonNullable<WaitingTask['exception']> & { detail: string }) | null
  /** Time until the limit of the state, by the clock of Postgres; null if it has no limit. */
  dueInMs: number | null
  /** Tasks that may start because this task has left its run slot. */
  wakes: string[]
}

/** A requested event. `data` has only ids and digests, because the history stores it. Only operators have a name. */
export type EventInput = {
  eventId: string
  event: TaskEvent
  actor: string
  actorName?: string | undefined
  data: Record<string, unknown>
}
export type EventResult = { ok: true; snapshot: TaskSnapshot } | { ok: false; refusal: Refusal }

/** Short durable steps, run as local activities. Each is one transaction and may run twice. */
export interface TaskSteps {
  /** Records one event and the automatic transitions that follow; a repeat of its id returns the current task. */
  recordEvent(input: EventInput & { taskId: string; limits: StateLimits }): Promise<EventResult>
  /**
   * Makes the automatic transitions that are due, including lapses; null for an unknown task. `leftSlot`: its run has just stopped,
   * and other tasks may wait for the slot.
   */
  advanceTask(input: {
    taskId: string
    limits: StateLimits
    leftSlot: boolean
  }): Promise<TaskSnapshot | null>
}
