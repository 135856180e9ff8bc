import { sql } from 'kysely'
import { clockSeconds, type Tx, transaction } from './db.ts'
import { codeOf } from './retry.ts'

/** The round trip to Postgres, and the difference between its clock and that of this process, in milliseconds. */
export async function databaseSkewMs(tx: Tx): Promise<number> {
  const before = Date.now()
  const seconds = await clockSeconds(tx)
  const middle = (before + Date.now()) / 2
  return Math.round(seconds * 1000 - middle)
}

/** Postgres answers but does not write. */
export class CannotWrite extends Error {
  override readonly name = 'CannotWrite'
}

/**
 * Throws where Postgres only reads or its disk takes nothing more. A sort that does not fit its memory writes to the disk of the data,
 * needs no privilege and leaves nothing.
 */
export async function probeWrites(db: Tx): Promise<void> {
  try {
    await transaction(db, async (tx) => {
      const { rows } = await sql<{ reads_only: boolean }>`
        select set_config('work_mem', '64kB', true),
               current_setting('transaction_read_only')::boolean as reads_only`.execute(tx)
      if (rows[0]?.reads_only === true) throw new CannotWrite('Postgres only reads')
      await sql`
        select count(*) from (
          select repeat(md5(g::text), 32) as filling from generate_series(1, 400) g order by 1 offset 0
        ) sorted`.execute(tx)
    })
  } catch (error) {
    if (codeOf(error).startsWith('53') && codeOf(error) !== '53300')
      throw new CannotWrite(`Postgres cannot write: ${(error as Error).message}`)
    throw error
  }
}

/** Free bytes below which the disk of a database of this size counts as nearly full. */
export const freeBytesMin = (databaseSize: number): number => 2 * 1024 ** 3 + 0.1 * databaseSize

/** The bytes of all files of the database. */
export async function databaseBytes(tx: Tx): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`.execute(tx)
  return rows[0]?.bytes ?? 0
}
