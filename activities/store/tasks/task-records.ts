import type { Selectable } from 'kysely'
import { recordKinds } from '#domain/core/record-kinds.ts'
import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

export type TaskRecord = Selectable<Database['task_records']>

/**
 * The runtime records of a task without its ledger, grouped by kind in the order of the specification, oldest first.
 */
export async function listTaskRecords(tx: Tx, taskId: string): Promise<TaskRecord[]> {
  const rows = await tx
    .selectFrom('task_records')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('record_kind', '<>', 'lifecycle_event')
    .orderBy('recorded_at')
    .orderBy('record_id')
    .execute()
  return recordKinds.flatMap((kind) => rows.filter(({ record_kind }) => record_kind === kind))
}
