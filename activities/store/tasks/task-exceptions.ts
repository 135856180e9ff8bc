import type { Selectable } from 'kysely'
import type { RailKey } from '#domain/rails/rail.ts'
import type { TaskExceptionState } from '#domain/tasks/exception.ts'
import type { Tx } from '../postgres/db.ts'
import {
  changeRow,
  countOf,
  findRow,
  insertOnce,
  insertRow,
  listRows,
  now,
  updateRows,
} from '../postgres/rows.ts'
import type { ReviewFilter } from '../reviews/review-decisions.ts'
import { totalOfQuote, waitingAs } from '../reviews/waiting-filter.ts'
import type { DeclinedInput } from '../schema/json-columns.ts'
import type { Database } from '../schema/schema.ts'

export type TaskExceptionRow = Selectable<Database['task_exceptions']>
type StoredRequest = Selectable<Database['recovery_requests']>
/** A request, and no proposal of an operator. */
type Asked = { state: Exclude<StoredRequest['state'], 'proposed'> }
export type RecoveryRequestRow = Omit<StoredRequest, 'state'> & Asked
type NewRequest = Pick<
  StoredRequest,
  'recovery_id' | 'exception_id' | 'action' | 'note' | 'input_sha256' | 'requested_by'
>

/** The exception that stops a task now. A task has at most one. */
export async function openTaskException(
  tx: Tx,
  taskId: string,
): Promise<TaskExceptionRow | undefined> {
  return tx
    .selectFrom('task_exceptions')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('closed_at', 'is', null)
    .where('resume_state', 'is not', null)
    .executeTakeFirst()
}

/** The open exception that stops nothing: what the input of a waiting task lacks, or the dispute of a closed one. */
export const openTicket = (tx: Tx, taskId: string) =>
  findRow(tx, 'task_exceptions', { task_id: taskId, closed_at: null, resume_state: null })

export const findTaskException = (tx: Tx, exceptionId: string) =>
  findRow(tx, 'task_exceptions', { exception_id: exceptionId })

export const listTaskExceptions = (tx: Tx, taskId: string) =>
  listRows(tx, 'task_exceptions', { task_id: taskId }, ['sequence'])

export async function insertTaskException(
  tx: Tx,
  row: Omit<TaskExceptionRow, 'state' | 'opened_at' | 'closed_at' | 'proposal_note' | 'declined'>,
): Promise<void> {
  await insertRow(tx, 'task_exceptions', {
    ...row,
    state: 'open',
    closed_at: null,
    proposal_note: null,
    declined: null,
  })
}

export async function moveTaskException(
  tx: Tx,
  exceptionId: string,
  state: TaskExceptionState,
): Promise<void> {
  const over = state === 'resolved' || state === 'abandoned'
  await tx
    .updateTable('task_exceptions')
    .set({ state, ...(over ? { closed_at: now } : {}) })
    .where('exception_id', '=', exceptionId)
    .execute()
}

/** Stores the input that an operator proposes; it takes the place of an earlier proposal. */
export async function proposeInput(
  tx: Tx,
  exceptionId: string,
  { sha256, note }: { sha256: string; note: string },
): Promise<void> {
  await tx
    .updateTable('task_exceptions')
    .set({ proposed_input_sha256: sha256, proposal_note: note })
    .where('exception_id', '=', exceptionId)
    .execute()
}

/** Ends the proposal of an exception, and stores who declined it and why. */
export const declineInput = (tx: Tx, exceptionId: string, declined: DeclinedInput) =>
  updateRows(
    tx,
    'task_exceptions',
    { exception_id: exceptionId },
    {
      proposed_input_sha256: null,
      proposal_note: null,
      declined: JSON.stringify(declined),
    },
  )

/** Stores a request to recover a task, which an operator decides, and marks the exception as requested. */
export async function insertRecoveryRequest(
  tx: Tx,
  request: NewRequest,
): Promise<RecoveryRequestRow> {
  const row = await tx
    .insertInto('recovery_requests')
    .values({ ...request, decided_by: null, decided_at: null })
    .returningAll()
    .$narrowType<Asked>()
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('task_exceptions')
    .set({ state: 'recovery_requested' })
    .where('exception_id', '=', request.exception_id)
    .where('state', '=', 'open')
    .execute()
  return row
}

/** Stores that an operator proposes an input; the owner's own request decides about it. */
export const insertProposal = (tx: Tx, proposal: NewRequest) =>
  insertOnce(tx, 'recovery_requests', {
    ...proposal,
    state: 'proposed',
    decided_by: null,
    decided_at: null,
  })

const requests = (tx: Tx) =>
  tx
    .selectFrom('recovery_requests')
    .selectAll()
    .where('state', '<>', 'proposed')
    .$narrowType<Asked>()

export const findRecoveryRequest = (
  tx: Tx,
  recoveryId: string,
): Promise<RecoveryRequestRow | undefined> =>
  requests(tx).where('recovery_id', '=', recoveryId).executeTakeFirst()

/** The recovery requests of an exception, oldest first. */
export const listRecoveryRequests = (tx: Tx, exceptionId: string): Promise<RecoveryRequestRow[]> =>
  requests(tx).where('exception_id', '=', exceptionId).orderBy('requested_at').execute()

/** Stores the decision about a request and who made it. */
export async function settleRecoveryRequest(
  tx: Tx,
  recoveryId: string,
  state: 'done' | 'refused',
  decidedBy: string,
): Promise<RecoveryRequestRow> {
  const decided = { state, decided_by: decidedBy, decided_at: now }
  const row = await changeRow(tx, 'recovery_requests', { recovery_id: recoveryId }, decided)
  return { ...row, state }
}

/** A recovery request with its task. */
export type RecoveryInReview = RecoveryRequestRow & {
  task_id: string
  rail: string
  quote_id: string | null
}

const recoveries = (tx: Tx) =>
  tx
    .selectFrom('recovery_requests')
    .innerJoin('task_exceptions', 'task_exceptions.exception_id', 'recovery_requests.exception_id')
    .innerJoin('tasks', 'tasks.task_id', 'task_exceptions.task_id')

export async function findRecoveryInReview(
  tx: Tx,
  recoveryId: string,
): Promise<RecoveryInReview | undefined> {
  return recoveries(tx)
    .selectAll('recovery_requests')
    .select(['tasks.task_id', 'tasks.rail', 'tasks.quote_id'])
    .where('recovery_id', '=', recoveryId)
    .where('recovery_requests.state', '<>', 'proposed')
    .$narrowType<Asked>()
    .executeTakeFirst()
}

/** Requests whose task is still stopped. Another request or an operator may have recovered the task in the meantime. */
const waiting = (tx: Tx, { subjectId, state, rail, ...waits }: ReviewFilter) =>
  recoveries(tx)
    .where('recovery_requests.state', '=', 'requested')
    .where('tasks.state', 'in', ['exception_open', 'replay_ready'])
    .where('task_exceptions.closed_at', 'is', null)
    .where(waitingAs(waits, { since: 'requested_at', amount: totalOfQuote('tasks.quote_id') }))
    .$if(subjectId !== undefined, (query) => query.where('recovery_id', '=', String(subjectId)))
    .$if(state !== undefined, (query) =>
      query.where('recovery_requests.state', '=', state as 'requested'),
    )
    .$if(rail !== undefined, (query) => query.where('tasks.rail', '=', rail as RailKey))

/** Undecided recovery requests, longest waiting first. */
export async function listRecoveriesInReview(
  tx: Tx,
  filter: ReviewFilter,
  most: number,
): Promise<RecoveryInReview[]> {
  return waiting(tx, filter)
    .selectAll('recovery_requests')
    .select(['tasks.task_id', 'tasks.rail', 'tasks.quote_id'])
    .$narrowType<Asked>()
    .orderBy('requested_at')
    .limit(most)
    .execute()
}

export const countRecoveriesInReview = (tx: Tx, filter: ReviewFilter): Promise<number> =>
  countOf(waiting(tx, filter))
