import { sql } from 'kysely'
import { createDatabase, isUnavailable, type Tx } from './db.ts'

const EXPORT_AND_START =
  'export it with `pg_dump -Fc "$DATABASE_URL" > agent-rails.dump`, then let DATABASE_URL name a new, empty database'

/** The data was written by an older schema, which this code neither reads nor migrates. */
export class OlderSchemaError extends Error {
  constructor(commands: string) {
    super(`The database has an older schema and was not changed: ${commands}.`)
    this.name = 'OlderSchemaError'
  }
}

/** Throws an `OlderSchemaError` with the `commands` for an export and a fresh start. It only reads the catalogue. */
export async function refuseOlderSchema(tx: Tx, commands = EXPORT_AND_START): Promise<void> {
  // One transaction makes both tables of today's schema; older schemas have only the first one.
  const { rows } = await sql<{ older: boolean }>`
    select count(*) filter (where relname = 'calls') = 1
      and count(*) filter (where relname = 'gas_wallet_transactions') = 0 as older
    from pg_class where relnamespace = to_regnamespace('public') and relkind = 'r'`.execute(tx)
  if (rows[0]?.older === true) throw new OlderSchemaError(commands)
}

/** The same check for a process that starts. An unreachable database is left to the readiness check. */
export async function checkSchemaAge(url: string): Promise<void> {
  const { db, close } = createDatabase({
    url,
    applicationName: 'agent-rails start check',
    poolSize: 1,
    connectTimeoutMs: 2_000,
    queryTimeoutMs: 2_000,
  })
  try {
    await refuseOlderSchema(db)
  } catch (error) {
    if (!isUnavailable(error)) throw error
  } finally {
    await close()
  }
}
