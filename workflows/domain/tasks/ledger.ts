import { digestOf } from '../core/canonical-json.ts'
import { nextTaskState, resumeStateAfter, type TaskEvent, type TaskState } from './lifecycle.ts'

/** One move of a task as callers see it. `at` is RFC 3339 UTC in milliseconds; digests are 64 hex. */
export type LedgerEntry = {
  sequence: number
  event: TaskEvent
  from_state: TaskState | 'none'
  to_state: TaskState
  at: string
  actor: string
  data_sha256: string
  prev_hash: string
  hash: string
}
export type LedgerHead = Pick<LedgerEntry, 'sequence' | 'hash'>
export type Move = Pick<LedgerEntry, 'event' | 'from_state' | 'to_state' | 'at' | 'actor'> & {
  data: unknown
}

/** What the first entry of a task follows: no entry can be moved to the ledger of another task. */
export function genesisHash(taskId: string): string {
  return digestOf({ type: 'service.task.v1', task_id: taskId })
}

/** SHA-256 of the canonical entry without its own hash; a trigger of the store works it out again. */
export function entryHash({
  hash: _,
  ...entry
}: Omit<LedgerEntry, 'hash'> & { hash?: string }): string {
  return digestOf(entry)
}

/** The entry of a move that follows `head`; undefined: the task's first. */
export function ledgerEntry(
  taskId: string,
  head: LedgerHead | undefined,
  { data, ...move }: Move,
): LedgerEntry {
  const entry = {
    ...move,
    sequence: (head?.sequence ?? 0) + 1,
    data_sha256: digestOf(data),
    prev_hash: head?.hash ?? genesisHash(taskId),
  }
  return { ...entry, hash: entryHash(entry) }
}

export type LedgerVerdict =
  | { ok: true; head_hash: string }
  | { ok: false; sequence: number; fault: string }

/** Whether the entries are a whole ledger of the task from its first move: chained, in order, and along the state table. */
export function verifyLedger(taskId: string, entries: readonly LedgerEntry[]): LedgerVerdict {
  let head = genesisHash(taskId)
  let state: TaskState | 'none' = 'none'
  let resumeState: TaskState | null = null
  for (const [index, entry] of entries.entries()) {
    const next = nextTaskState(state, entry.event, resumeState)
    let fault: string | undefined
    if (entry.sequence !== index + 1) fault = 'an entry is missing'
    else if (entry.prev_hash !== head) fault = 'it does not follow the entry before it'
    else if (entry.hash !== entryHash(entry)) fault = 'it was changed after it was written'
    else if (entry.from_state !== state || entry.to_state !== next)
      fault = 'the state table has no such move'
    if (fault !== undefined) return { ok: false, sequence: index + 1, fault }
    if (state !== 'none') resumeState = resumeStateAfter(state, entry.event, resumeState)
    state = entry.to_state
    head = entry.hash
  }
  return { ok: true, head_hash: head }
}
