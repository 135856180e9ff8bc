import { sql } from 'kysely'
import { createDatabase, isUnavailable, type Tx } from './db.ts'

/** The commands for a database that `DATABASE_URL` names. */
const databaseCommands: FreshStartCommands = {
  export: 'npx agent-rails database export agent-rails.jsonl.gz',
  start: 'npx agent-rails database start-fresh',
}

/** How an operator exports the data of an older schema, and starts without it. */
export type FreshStartCommands = { readonly export: string; readonly start: string }

/** The data was written by an older schema, which this code neither reads nor migrates. */
export class OlderSchemaError extends Error {
  constructor(commands: FreshStartCommands) {
    super(
      `The database has an older schema and was not changed: export it with \`${commands.export}\`, then start fresh with \`${commands.start}\`.`,
    )
    this.name = 'OlderSchemaError'
  }
}

/** Throws an `OlderSchemaError` that names the `commands`. It only reads the catalogue. */
export async function refuseOlderSchema(
  tx: Tx,
  commands: FreshStartCommands = databaseCommands,
): Promise<void> {
  if (await hasOlderSchema(tx)) throw new OlderSchemaError(commands)
}

export async function hasOlderSchema(tx: Tx): Promise<boolean> {
  // One transaction makes both tables of today's schema; older schemas have only the first one.
  const { rows } = await sql<{ older: boolean }>`
    select count(*) filter (where relname = 'calls') = 1
      and count(*) filter (where relname = 'gas_wallet_transactions') = 0 as older
    from pg_class where relnamespace = to_regnamespace('public') and relkind = 'r'`.execute(tx)
  return rows[0]?.older === true
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
