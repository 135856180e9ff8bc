import { loadDatabaseUrl } from '../activities/config/config.ts'
import { orExit } from '../activities/config/or-exit.ts'
import { createDatabase } from '../activities/store/postgres/db.ts'
import {
  ensureDatabase,
  latestMigration,
  migrateToLatest,
} from '../activities/store/postgres/migrate.ts'
import { SchemaError } from '../activities/store/postgres/schema-version.ts'

const url = await orExit(loadDatabaseUrl)
await ensureDatabase(url)
const { db, close } = createDatabase({
  url,
  applicationName: 'agent-rails migrate',
  poolSize: 1,
  queryTimeoutMs: 15 * 60_000,
})
try {
  const applied = await migrateToLatest(db)
  for (const name of applied) console.log(`applied ${name}`)
  if (applied.length === 0) console.log(`nothing to apply: the database is at ${latestMigration}`)
} catch (error) {
  if (!(error instanceof SchemaError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await close()
}
