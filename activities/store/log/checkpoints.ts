import { type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { prepared } from '../postgres/prepared.ts'
import { insertOnce, insertRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

/** A signed checkpoint. The root is that of the first `size` leaves. */
export type CheckpointRow = Omit<Selectable<Database['log_checkpoints']>, 'size'> & { size: number }

/** Whether this transaction is the one that sequences; another one is while the answer is no. */
export async function tryLockLog(tx: Tx): Promise<boolean> {
  const [row] = await tryLock().run(tx)
  return row?.locked === true
}

const tryLock = prepared(
  () =>
    sql<{
      locked: boolean
    }>`select pg_try_advisory_xact_lock(hashtextextended('transparency log', 0)) as locked`,
)

const selectLatest = prepared((tx) =>
  tx.selectFrom('log_checkpoints').selectAll().orderBy('size', 'desc').limit(1),
)
const selectSized = prepared((tx, size: string) =>
  tx.selectFrom('log_checkpoints').selectAll().where('size', '=', size),
)

/** The latest checkpoint, or that of a size. */
export async function findCheckpoint(tx: Tx, size?: number): Promise<CheckpointRow | undefined> {
  const [row] = await (size === undefined ? selectLatest() : selectSized(String(size))).run(tx)
  return row && { ...row, size: Number(row.size) }
}

export async function insertCheckpoint(
  tx: Tx,
  { size, root, ...row }: Omit<CheckpointRow, 'signed_at' | 'root'> & { root: Uint8Array },
): Promise<void> {
  await insertRow(tx, 'log_checkpoints', { ...row, size: String(size), root: Buffer.from(root) })
}

const selectCosignatures = prepared((tx, size: string) =>
  tx
    .selectFrom('log_cosignatures')
    .select(['witness', 'line', 'received_at'])
    .where('size', '=', size)
    .orderBy('witness'),
)

/** The lines that witnesses gave for the checkpoint of a size, in the order of their names. */
export async function listCosignatures(
  tx: Tx,
  size: number,
): Promise<{ witness: string; line: string }[]> {
  return selectCosignatures(String(size)).run(tx)
}

/** Stores the verified line of a witness for a checkpoint; its first one stays. */
export async function insertCosignature(
  tx: Tx,
  { size, witness, line }: { size: number; witness: string; line: string },
): Promise<void> {
  await insertOnce(tx, 'log_cosignatures', { size: String(size), witness, line })
}

const selectCosigned = prepared(
  (_, witnesses: string[], index: string) =>
    sql<{ size: string }>`select c.size from log_cosignatures c
      where c.witness = any(${witnesses}::text[]) and c.size > ${index}::bigint order by c.size desc limit 1`,
)

/** The latest checkpoint that has the leaf of an index and a cosignature of one of these witnesses. */
export async function findCosigned(
  tx: Tx,
  witnesses: string[],
  index: number,
): Promise<CheckpointRow | undefined> {
  const [row] = await selectCosigned(witnesses, String(index)).run(tx)
  return row && findCheckpoint(tx, Number(row.size))
}

const selectCosignedSize = prepared((tx, witness: string) =>
  tx
    .selectFrom('log_cosignatures')
    .select('size')
    .where('witness', '=', witness)
    .orderBy('size', 'desc')
    .limit(1),
)

/** The size of the largest checkpoint that has a cosignature of this witness; 0 without one. */
export async function findCosignedSize(tx: Tx, witness: string): Promise<number> {
  const [row] = await selectCosignedSize(witness).run(tx)
  return Number(row?.size ?? 0)
}
