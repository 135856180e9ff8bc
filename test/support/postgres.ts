import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { createDatabase, isUnavailable, type OpenDatabase } from '../../activities/store/db.ts'
import { migrateToLatest } from '../../activities/store/migrate.ts'
import type { Database } from '../../activities/store/schema.ts'
import type { Part } from '../../worker/stack/part.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { postgresPart, postgresUrl } from '../../worker/stack/postgres.ts'

/** A PostgreSQL of its own with an empty database, up in about 2 s; `stop` removes it without a trace. */
export async function startPostgres(): Promise<{ url: string; part: Part; stop(): Promise<void> }> {
  const directory = await scratchDirectory()
  const [port = 0] = await findFree(1)
  const settings = {
    directory: join(directory, 'postgres'),
    port,
    password: 'postgres',
    logFile: join(directory, 'postgres.log'),
  }
  const part = postgresPart(settings)
  await part.start()
  await part.waitReady()
  return {
    url: postgresUrl(settings),
    part,
    async stop() {
      await part.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A database of the service as it stands after its last migration, on a server of its own; `stop` takes both away. */
export type TestDatabase = Pick<OpenDatabase, 'db' | 'pool'> & { url: string; part: Part; stop(): Promise<void> }

export async function startDatabase(): Promise<TestDatabase> {
  const postgres = await startPostgres()
  const { db, pool, close } = createDatabase({ url: postgres.url, applicationName: 'test', poolSize: 20 })
  await migrateToLatest(db)
  const stop = async () => {
    await close()
    await postgres.stop()
  }
  return { db, pool, url: postgres.url, part: postgres.part, stop }
}

/** A hundred at once may find every connection taken, which decides nothing: whoever does begins again for as long as the test has time. */
export async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      await sleep(100)
    }
  }
}

/** A new folder under the system's temporary one that the user `postgres` can pass through. */
export async function scratchDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'agent-rails-'))
  await chmod(directory, 0o711)
  return directory
}

/** How many statements wait for a lock now. */
export const lockWaits = async (db: Kysely<Database>): Promise<number> =>
  (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`.execute(db)).rows.length
