import type { Insertable, Selectable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { preparedInsert } from '../postgres/prepared.ts'
import { findRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type PackRow = Selectable<Database['handoff_packs']>

const insertRow = preparedInsert('handoff_packs')
export const insertPack = async (
  tx: Tx,
  row: Insertable<Database['handoff_packs']>,
): Promise<void> => {
  await insertRow(row).run(tx)
}

export const findPack = (tx: Tx, by: { pack_id: string } | { jws: string }) =>
  findRow(tx, 'handoff_packs', by)

/** The newest pack of a builder for a task. */
export async function findLastPack(
  tx: Tx,
  builder: string,
  taskId: string,
): Promise<Pick<PackRow, 'seq' | 'status'> | undefined> {
  return tx
    .selectFrom('handoff_packs')
    .select(['seq', 'status'])
    .where('builder', '=', builder)
    .where('task_id', '=', taskId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
}
