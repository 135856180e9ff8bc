import type { TaskEvent, TaskState } from '#domain/tasks/lifecycle.ts'
import type { WaitingTask } from '#domain/tasks/wait.ts'

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

/**
 * Short durable steps, run as local activities. Each is one transaction and may run twice. What a step does follows from the rows
 * alone: events of callers and operators are stored before a workflow is notified, and no message carries one.
 */
export interface TaskSteps {
  /**
   * Makes the automatic transitions that are due, including lapses; null for an unknown task. `leftSlot`: its run has just stopped,
   * and other tasks may wait for the slot.
   */
  advanceTask(input: { taskId: string; leftSlot: boolean }): Promise<TaskSnapshot | null>
  /** Stops a task that is at work, because the workflow of its work was ended; another task only advances. */
  stopTask(taskId: string): Promise<TaskSnapshot | null>
}
