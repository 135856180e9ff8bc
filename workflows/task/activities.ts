import type { Refusal } from '../domain/core/errors.ts'
import type { TaskEvent, TaskState } from '../domain/tasks/lifecycle.ts'
import type { WaitingTask } from '../domain/tasks/wait.ts'
import type { StateLimits } from '../shared/timing.ts'

/** What the workflow knows of a task: enough to continue from any state, and to show what it waits for. */
export type TaskSnapshot = WaitingTask & {
  resumeState: TaskState | null
  /** Of the last entry in its ledger. */
  sequence: number
  lastEvent: TaskEvent
  agentId: string | null
  usage: string
  /** Of its callback, while it waits for that. */
  deliveryId: string | null
  exception: { id: string; code: string; detail: string; recoveries: readonly string[] } | null
  /** Until the time limit of the state is over, by Postgres' clock; null: it has none. */
  dueInMs: number | null
  /** Tasks that may start now that this one has left its run slot. */
  wakes: string[]
}

/** An event as it is asked for; `data` holds ids and digests only, because it stands in the history. Operators have a name. */
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
  /** Records one event and the moves that follow from it by themselves; a repeat of its id returns the task as it is. */
  recordEvent(input: EventInput & { taskId: string; limits: StateLimits }): Promise<EventResult>
  /**
   * Makes the moves that the task makes by itself, lapses among them; null where there is no task. `leftSlot`: its run has just
   * stopped, and others may be waiting for the slot.
   */
  advanceTask(input: {
    taskId: string
    limits: StateLimits
    leftSlot: boolean
  }): Promise<TaskSnapshot | null>
}
