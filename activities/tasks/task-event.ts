import type { LedgerEntry } from '#domain/tasks/ledger.ts'
import type { TaskEvent } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import type { StateLimits } from '../../workflows/shared/timing.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'
import type { Actor } from './receipt.ts'

/** A requested event; a repeat of `eventId` returns the recorded one. `limits` default to those of the service. */
export type TaskEventInput = Actor & {
  taskId: string
  eventId: string
  event: TaskEvent
  data: TaskEventData[TaskEvent]
  limits?: StateLimits
  /** Of a submission without an agent: whose processor time it takes. */
  network?: string | undefined
}

/** A transition: the row before and after it, its entry in the ledger, and the event that caused it. */
export type Transition = {
  before: TaskRow | undefined
  after: TaskRow
  entry: LedgerEntry
  input: TaskEventInput
  nowSeconds: number
}
