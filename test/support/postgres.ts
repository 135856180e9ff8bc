import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { createRoles, roleUrl } from '../../activities/store/postgres/create-roles.ts'
import {
  createDatabase,
  isUnavailable,
  type OpenDatabase,
} from '../../activities/store/postgres/db.ts'
import { migrateToLatest } from '../../activities/store/postgres/migrate.ts'
import type { DatabaseRole } from '../../activities/store/postgres/roles.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import type { Part } from '../../worker/stack/part.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { postgresPart, postgresUrl } from '../../worker/stack/postgres.ts'
import { SHARED_SERVERS } from './shared-servers.ts'

const run = promisify(execFile)

type PostgresServer = { url: string; part: Part; directory: string; stop(): Promise<void> }

/** The server that all files of a run share, and a copy of its files that has the schema of the last migration. */
export type SharedPostgres = { url: string; files: string }

/** Of the user `postgres` on servers of tests. */
export const postgresPassword = 'postgres'

/** The passwords of the roles on servers of tests. */
const rolePasswords = {
  api: 'api',
  worker: 'worker',
  signer: 'signer',
  reader: 'reader',
}
/** The URL of a database for a process of this role. */
export const urlAs = (role: DatabaseRole, url: string): string => roleUrl(url, role, rolePasswords)

/**
 * A PostgreSQL of its own with an empty database, up in about 2 s; `stop` removes it without a trace. It has connections for many
 * tests at once.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const directory = await scratchDirectory()
  const [port = 0] = await findFree(1)
  const settings = {
    directory: join(directory, 'postgres'),
    port,
    password: postgresPassword,
    logFile: join(directory, 'postgres.log'),
  }
  const part = postgresPart(settings)
  withMore(part, ['-c', 'fsync=off', '-c', 'max_connections=300'])
  await part.start()
  await part.waitReady()
  const url = postgresUrl(settings)
  await createRoles(url, rolePasswords)
  return {
    url,
    part,
    directory: settings.directory,
    async stop() {
      await part.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** No test ends the machine, so what a server has written survives its own end without a sync to the disk. */
export const withoutSync = (part: Part): void => withMore(part, ['-c', 'fsync=off'])

function withMore({ plan }: Part, more: readonly string[]): void {
  const { launch } = plan
  plan.launch = async () => {
    const launched = await launch()
    return { ...launched, args: [...launched.args, ...more] }
  }
}

/** The files of a server that does not run. */
export async function copyFiles(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to])
}

/** A server in `directory` that is new begins with a copy of these files, instead of making and migrating a database. */
export function beginWith({ plan }: Part, files: string, directory: string): void {
  const { prepare } = plan
  plan.prepare = async () => {
    if (!existsSync(directory)) await copyFiles(files, directory)
    await prepare?.()
  }
}

/** Undefined outside of a run of Vitest. */
export async function sharedPostgres(): Promise<SharedPostgres | undefined> {
  const address = process.env[SHARED_SERVERS]
  if (address === undefined) return undefined
  return (await (await fetch(`${address}/postgres`)).json()) as SharedPostgres
}

/** A database of the service with the schema of the last migration; `stop` removes it. */
export type TestDatabase = Pick<OpenDatabase, 'db' | 'pool'> & {
  url: string
  stop(): Promise<void>
}

/** A hundred statements at once wait for each other, on a busy machine for longer than the service lets them. */
const ofTest = { applicationName: 'test', poolSize: 20, connectTimeoutMs: 60_000 }

/** A new database on the server that all files of a run share, or on one of its own outside of such a run. */
export async function startDatabase(): Promise<TestDatabase> {
  const shared = await sharedPostgres()
  if (shared === undefined) return startOwnDatabase()
  const { url: template } = shared
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(template, `create database ${name} template ${nameIn(template)}`)
  const url = withDatabase(template, name)
  const { db, pool, close } = createDatabase({ url, ...ofTest })
  const stop = async () => {
    await close()
    await administer(template, `drop database ${name} with (force)`)
  }
  return { db, pool, url, stop }
}

/** The same on a server of its own, for tests that change or end the server. */
export async function startOwnDatabase(): Promise<TestDatabase & { part: Part }> {
  const { url, part, stop: stopServer } = await startPostgres()
  const { db, pool, close } = createDatabase({ url, ...ofTest })
  await migrateToLatest(db)
  const stop = async () => {
    await close()
    await stopServer()
  }
  return { db, pool, url, part, stop }
}

const nameIn = (url: string) => new URL(url).pathname.slice(1)

function withDatabase(url: string, name: string): string {
  const target = new URL(url)
  target.pathname = `/${name}`
  return target.href
}

/** Runs a statement that no session of the database itself can run. */
async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(url, 'postgres') })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Repeats what finds every connection taken, as a hundred calls at once may; the time limit of the test ends it. */
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

/** How many statements of this database wait for a lock now. */
export async function lockWaits(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql`
    select 1 from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`.execute(db)
  return rows.length
}
