import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema/schema.ts'
import { transaction } from './db.ts'
import { migrateToLatest } from './migrate.ts'
import { hasOlderSchema } from './schema-age.ts'

/**
 * Keeps the data of an older schema in the same database under a new schema name, makes today's tables in an empty schema `public`,
 * and returns the new name. It changes nothing in a database whose schema is not older.
 */
export async function startFresh(db: Kysely<Database>): Promise<string> {
  const kept = await transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('start fresh', 0))`.execute(tx)
    if (!(await hasOlderSchema(tx)))
      throw new Error('The database has no older schema; nothing was changed.')
    const { rows } = await sql<{ name: string }>`
      select 'older_' || to_char(clock_timestamp() at time zone 'utc', 'YYYYMMDD_HH24MISS') as name`.execute(
      tx,
    )
    const name = rows[0]?.name ?? ''
    await sql`alter schema public rename to ${sql.id(name)}`.execute(tx)
    await sql`create schema public`.execute(tx)
    await sql`grant usage on schema public to public`.execute(tx)
    return name
  })
  await migrateToLatest(db)
  return kept
}
