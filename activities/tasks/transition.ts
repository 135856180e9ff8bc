import { z } from 'zod'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { ledgerEntry, type Move } from '#domain/tasks/ledger.ts'
import {
  nextTaskState,
  resumeStateAfter,
  type TaskEvent,
  type TaskState,
} from '#domain/tasks/lifecycle.ts'
import { refuseTaskEvent } from '#domain/tasks/refused-event.ts'
import { type TaskEventData, taskEventData } from '#domain/tasks/terms.ts'
import { type StateLimits, timing } from '../../workflows/shared/timing.ts'
import { notifyChanged } from '../store/postgres/changes.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import {
  findTaskEvent,
  insertTask,
  insertTaskEvent,
  lockTask,
  type TaskRow,
  updateTask,
} from '../store/tasks/tasks.ts'
import { releaseCredit } from './credit.ts'
import type { TaskDeps } from './deps.ts'
import { eventEffects } from './event-effects.ts'
import { submittedTask } from './submission.ts'
import type { TaskEventInput, Transition } from './task-event.ts'

/**
 * Moves a task by one event in the caller's transaction: checks the state table under the row's lock, and writes the ledger
 * entry, the row and the effects of the event. Throws `wrong_state` with the allowed events, `invalid_request` for data that the
 * event does not carry, and `idempotency_conflict` when the event id was used for another event.
 */
export async function recordTransition(
  deps: TaskDeps,
  tx: Tx,
  input: TaskEventInput,
): Promise<TaskRow> {
  const { taskId, eventId, event } = input
  const before = await lockTask(tx, taskId)
  const known = await findTaskEvent(tx, taskId, eventId)
  if (before !== undefined && known !== undefined) {
    if (known.event === event && known.data_sha256 === digestOf(input.data)) return before
    throw refuse('idempotency_conflict', {
      detail: 'this event id was used for another event',
      next_action: 'Use a new event id.',
    })
  }
  const data = readData(event, input.data)
  const nowSeconds = await clockSeconds(tx)
  const transition = await transitionOf(tx, { before, input, data, nowSeconds })
  const { after, entry } = transition
  const effects = eventEffects[event]
  await effects?.check?.(deps, tx, transition)
  if (before === undefined) await insertTask(tx, after)
  await insertTaskEvent(tx, { taskId, eventId, entry, data })
  await effects?.write?.(deps, tx, transition)
  if (after.state === 'failed') await releaseCredit(deps, tx, taskId)
  if (before !== undefined) await updateTask(tx, after)
  await notifyChanged(tx, taskId)
  return after
}

type Requested = {
  before: TaskRow | undefined
  input: TaskEventInput
  data: TaskEventData[TaskEvent]
  nowSeconds: number
}

/** The row and the ledger entry that the event leads to. */
async function transitionOf(
  tx: Tx,
  { before, input, data, nowSeconds }: Requested,
): Promise<Transition> {
  const { taskId, event, actor, network, limits = timing.task.limits } = input
  const from: TaskState | 'none' = before?.state ?? 'none'
  const to = nextTaskState(from, event, before?.resume_state)
  if (to === undefined) throw refuseTaskEvent(from, event)
  const at = new Date(Math.floor(nowSeconds * 1000))
  if (before !== undefined && actor !== 'service') assertInTime(before, event, at)
  const head = before && { sequence: before.sequence, hash: before.head_hash }
  const move: Move = { event, from_state: from, to_state: to, at: at.toISOString(), actor, data }
  const entry = ledgerEntry(taskId, head, move)
  const moved = { state: to, sequence: entry.sequence, head_hash: entry.hash, changed_at: at }
  const base =
    before ??
    (await submittedTask(tx, { ...(data as TaskEventData['submit']), taskId, moved, network }))
  const resume_state =
    before === undefined ? null : resumeStateAfter(before.state, event, before.resume_state)
  const named = { ...base, ...moved, ...columnsOf(event, data), resume_state }
  const after = { ...named, due_at: dueAt(named, { limits, at, data }) }
  return { before, after, entry, input, nowSeconds }
}

function readData(event: TaskEvent, data: unknown): TaskEventData[TaskEvent] {
  const parsed = taskEventData[event].safeParse(data)
  if (parsed.success) return parsed.data
  throw refuse('invalid_request', {
    detail: `the data of ${event}: ${z.prettifyError(parsed.error)}`,
    next_action: 'Send what the event carries.',
  })
}

/** The next check records a lapse, but a call between the time limit and that check is late too. */
function assertInTime(before: TaskRow, event: TaskEvent, at: Date): void {
  if (before.due_at === null || at < before.due_at) return
  if (event === 'contract_accepted')
    throw refuse('expired', { detail: 'the contract was not accepted in time' })
  if (event === 'credit_requested')
    throw refuse('quote_expired', { detail: 'the quote has expired' })
}

/** The columns that the event's data sets. */
function columnsOf(event: TaskEvent, data: TaskEventData[TaskEvent]): Partial<TaskRow> {
  const named: Partial<TaskRow> = {}
  const columns = [
    'contract_id',
    'quote_id',
    'entitlement_id',
    'input_sha256',
    'run_id',
    'review_decision',
  ] as const
  const values = data as Record<string, unknown>
  for (const column of columns)
    if (typeof values[column] === 'string') named[column] = values[column]
  if (event === 'quote_issued' && typeof values['expires_at'] === 'string')
    named.quote_expires_at = new Date(values['expires_at'])
  return named
}

type Timed = { limits: StateLimits; at: Date; data: TaskEventData[TaskEvent] }

/** When the time of the state ends: after its limit, or earlier where the event or the quote ends. */
function dueAt(task: TaskRow, { limits, at, data }: Timed): Date | null {
  const limit = limits[task.state]
  if (limit === undefined) return null
  const ends = [at.getTime() + limit]
  if ('expires_at' in data && data.expires_at !== undefined) ends.push(Date.parse(data.expires_at))
  const quoted = task.state === 'quoted' || task.state === 'credit_pending'
  if (quoted && task.quote_expires_at !== null) ends.push(task.quote_expires_at.getTime())
  return new Date(Math.min(...ends))
}
