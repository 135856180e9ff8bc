import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema/schema.ts'
import { transaction } from './db.ts'
import { migrateToLatest, ourSchema } from './migrate.ts'
import { hasForeignSchema } from './schema-version.ts'

/**
 * Keeps the data of another schema in the same database under a new schema name, makes today's tables in an empty schema `public`,
 * and returns the new name. It changes nothing in a database whose schema is that of this release.
 */
export async function startFresh(db: Kysely<Database>): Promise<string> {
  const kept = await transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('start fresh', 0))`.execute(tx)
    if (!(await hasForeignSchema(tx, ourSchema)))
      throw new Error('The database has no schema of another build; nothing was changed.')
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
