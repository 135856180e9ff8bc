import { z } from 'zod'
import { digestOf } from '../../workflows/domain/canonical-json.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { type LedgerEntry, ledgerEntry, type Move } from '../../workflows/domain/task-ledger.ts'
import {
  nextTaskState,
  refuseTaskEvent,
  resumeStateAfter,
  type TaskEvent,
  type TaskState,
} from '../../workflows/domain/task-lifecycle.ts'
import { type TaskEventData, taskEventData } from '../../workflows/domain/task-terms.ts'
import type { StateLimits } from '../../workflows/task/ports.ts'
import { clockSeconds, type Tx } from '../store/db.ts'
import { notifyChanged } from '../store/notify.ts'
import { findTaskEvent, insertTask, insertTaskEvent, lockTask, type TaskRow, updateTask } from '../store/tasks.ts'
import { beside } from './beside.ts'
import type { TaskDeps } from './deps.ts'
import type { Actor } from './receipt.ts'
import { submittedTask } from './submission.ts'

/** One event as somebody asks for it; a repeat of `eventId` returns what was recorded. */
export type AskedMove<Event extends TaskEvent = TaskEvent> = {
  taskId: string
  eventId: string
  event: Event
  data: TaskEventData[Event]
} & Actor

/** A move that was made: the row before and after it, and its entry in the ledger. */
export type Moved = {
  before: TaskRow | undefined
  after: TaskRow
  entry: LedgerEntry
  asked: AskedMove
  nowSeconds: number
}

/**
 * Moves a task by one event in the caller's transaction: asks the table with the row locked, and writes ledger entry, row and
 * the records that belong to the event. Throws `wrong_state` naming the events allowed, `invalid_request` for data that the
 * event does not carry, `idempotency_conflict` when the event id stands for something else.
 */
export async function recordTransition(
  deps: TaskDeps,
  tx: Tx,
  asked: AskedMove,
  limits: StateLimits,
): Promise<TaskRow> {
  const { taskId, eventId, event, actor } = asked
  const before = await lockTask(tx, taskId)
  const known = await findTaskEvent(tx, taskId, eventId)
  if (before !== undefined && known !== undefined) {
    if (known.event === event && known.data_sha256 === digestOf(asked.data)) return before
    throw refuse('idempotency_conflict', 'this event id stands for another event', 'Use a new event id.')
  }
  const data = readData(event, asked.data)
  const from: TaskState | 'none' = before?.state ?? 'none'
  const to = nextTaskState(from, event, before?.resume_state)
  if (to === undefined) throw refuseTaskEvent(from, event)
  const nowSeconds = await clockSeconds(tx)
  const at = new Date(Math.floor(nowSeconds * 1000))
  if (before !== undefined && actor !== 'service') assertInTime(before, event, at)
  const head = before && { sequence: before.sequence, hash: before.head_hash }
  const move: Move = { event, from_state: from, to_state: to, at: at.toISOString(), actor, data }
  const entry = ledgerEntry(taskId, head, move)
  const moves = { state: to, sequence: entry.sequence, head_hash: entry.hash, changed_at: at }
  const base = before ?? (await submittedTask(tx, taskId, data as TaskEventData['submit'], moves))
  const named = { ...base, ...moves, ...namedBy(event, data), resume_state: resumeOf(before, event) }
  const after = { ...named, due_at: dueAt(named, limits, at, data) }
  const moved: Moved = { before, after, entry, asked, nowSeconds }
  const records = beside[event]
  await records?.check?.(deps, tx, moved)
  if (before === undefined) await insertTask(tx, after)
  await insertTaskEvent(tx, { taskId, eventId, entry, data })
  await records?.write?.(deps, tx, moved)
  if (before !== undefined) await updateTask(tx, after)
  await notifyChanged(tx, taskId)
  return after
}

function readData(event: TaskEvent, data: unknown): TaskEventData[TaskEvent] {
  const parsed = taskEventData[event].safeParse(data)
  if (parsed.success) return parsed.data
  throw refuse(
    'invalid_request',
    `the data of ${event}: ${z.prettifyError(parsed.error)}`,
    'Send what the event carries.',
  )
}

const resumeOf = (before: TaskRow | undefined, event: TaskEvent): TaskState | null =>
  before === undefined ? null : resumeStateAfter(before.state, event, before.resume_state)

/** A lapse is recorded when somebody looks; whoever comes after the time and before the look is late all the same. */
function assertInTime(before: TaskRow, event: TaskEvent, at: Date): void {
  if (before.due_at === null || at < before.due_at) return
  if (event === 'contract_accepted') throw refuse('expired', 'the contract was not accepted in time', 'Begin anew.')
  if (event === 'credit_requested') throw refuse('quote_expired', 'the quote is over', 'Get a new quote.')
}

/** The columns that an event names. */
function namedBy(event: TaskEvent, data: TaskEventData[TaskEvent]): Partial<TaskRow> {
  const named: Partial<TaskRow> = {}
  const columns = ['contract_id', 'quote_id', 'entitlement_id', 'input_sha256', 'run_id', 'review_decision'] as const
  const values = data as Record<string, unknown>
  for (const column of columns) if (typeof values[column] === 'string') named[column] = values[column]
  if (event === 'quote_issued' && typeof values['expires_at'] === 'string')
    named.quote_expires_at = new Date(values['expires_at'])
  return named
}

/** When the state's time is over: its limit, what the event says, and never past the quote. */
function dueAt(task: TaskRow, limits: StateLimits, at: Date, data: TaskEventData[TaskEvent]): Date | null {
  const limit = limits[task.state]
  if (limit === undefined) return null
  const ends = [at.getTime() + limit]
  if ('expires_at' in data && data.expires_at !== undefined) ends.push(Date.parse(data.expires_at))
  const quoted = task.state === 'quoted' || task.state === 'credit_pending'
  if (quoted && task.quote_expires_at !== null) ends.push(task.quote_expires_at.getTime())
  return new Date(Math.min(...ends))
}
