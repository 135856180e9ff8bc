import { sql } from 'kysely'
import { clockSeconds, type Tx } from './db.ts'

/** The round trip to Postgres, and the difference between its clock and that of this process, in milliseconds. */
export async function databaseSkewMs(tx: Tx): Promise<number> {
  const before = Date.now()
  const seconds = await clockSeconds(tx)
  const middle = (before + Date.now()) / 2
  return Math.round(seconds * 1000 - middle)
}

/** Whether the last migration that this code knows has been applied. */
export async function migrationsApplied(tx: Tx, latest: string): Promise<boolean> {
  const rows = await sql<{
    name: string
  }>`select name from kysely_migration where name = ${latest}`.execute(tx)
  return rows.rows.length === 1
}
