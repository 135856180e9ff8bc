import { loadDatabaseUrl } from '../activities/config.ts'
import { createDatabase } from '../activities/store/db.ts'
import { ensureDatabase, latestMigration, migrateToLatest } from '../activities/store/migrate.ts'

const url = loadDatabaseUrl()
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
} finally {
  await close()
}
