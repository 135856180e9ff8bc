import { type Selectable, sql } from 'kysely'
import type { TaskExceptionState } from '../../workflows/domain/task-exception.ts'
import type { Tx } from './db.ts'
import type { RecoveryRequestsTable, TaskExceptionsTable } from './task-tables.ts'

export type TaskExceptionRow = Selectable<TaskExceptionsTable>
export type RecoveryRequestRow = Selectable<RecoveryRequestsTable>

const now = sql<Date>`clock_timestamp()`

/** The exception that stops a task now; at most one does. */
export async function openTaskException(tx: Tx, taskId: string): Promise<TaskExceptionRow | undefined> {
  return tx
    .selectFrom('task_exceptions')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
}

export async function listTaskExceptions(tx: Tx, taskId: string): Promise<TaskExceptionRow[]> {
  return tx.selectFrom('task_exceptions').selectAll().where('task_id', '=', taskId).orderBy('sequence').execute()
}

export async function insertTaskException(
  tx: Tx,
  row: Omit<TaskExceptionRow, 'state' | 'opened_at' | 'closed_at'>,
): Promise<void> {
  await tx
    .insertInto('task_exceptions')
    .values({ ...row, state: 'open', closed_at: null })
    .execute()
}

export async function moveTaskException(tx: Tx, exceptionId: string, state: TaskExceptionState): Promise<void> {
  const over = state === 'resolved' || state === 'abandoned'
  await tx
    .updateTable('task_exceptions')
    .set({ state, ...(over ? { closed_at: now } : {}) })
    .where('exception_id', '=', exceptionId)
    .execute()
}

/** A request to bring a task home, which somebody decides; its exception then says that one was made. */
export async function insertRecoveryRequest(
  tx: Tx,
  request: Pick<
    RecoveryRequestRow,
    'recovery_id' | 'exception_id' | 'action' | 'note' | 'input_sha256' | 'requested_by'
  >,
): Promise<void> {
  await tx
    .insertInto('recovery_requests')
    .values({ ...request, decided_by: null, decided_at: null })
    .execute()
  await tx
    .updateTable('task_exceptions')
    .set({ state: 'recovery_requested' })
    .where('exception_id', '=', request.exception_id)
    .where('state', '=', 'open')
    .execute()
}
