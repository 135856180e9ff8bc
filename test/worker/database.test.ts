import { execFile } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { packageRoot } from '../../activities/config/package-root.ts'
import { createRoles, roleUrl } from '../../activities/store/postgres/create-roles.ts'
import { createDatabase, type OpenDatabase } from '../../activities/store/postgres/db.ts'
import { migrateToLatest, ourSchema } from '../../activities/store/postgres/migrate.ts'
import { checkSchema } from '../../activities/store/postgres/schema-version.ts'
import { scratchDirectory, startPostgres } from '../support/postgres.ts'
import { verifies } from '../verifies.ts'

const passwords = { api: 'a', worker: 'w', runs: 'x', signer: 's', reader: 'r' }
let postgres: Awaited<ReturnType<typeof startPostgres>>
let scratch: string
const opened: OpenDatabase[] = []

beforeAll(async () => {
  scratch = await scratchDirectory()
  postgres = await startPostgres()
  await createRoles(postgres.url, passwords)
})
afterAll(async () => {
  for (const { close } of opened) await close()
  await postgres?.stop()
  rmSync(scratch, { recursive: true, force: true })
})

function open(url: string): OpenDatabase['db'] {
  const database = createDatabase({ url, applicationName: 'test', poolSize: 1 })
  opened.push(database)
  return database.db
}

async function newDatabase(name: string): Promise<string> {
  await sql.raw(`create database ${name}`).execute(open(postgres.url))
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return url.href
}

async function olderDatabase(name: string): Promise<string> {
  const url = await newDatabase(name)
  const db = open(url)
  await sql`create table kysely_migration (name text primary key, timestamp text)`.execute(db)
  await sql`insert into kysely_migration values ('0001-payout-rail', 'then')`.execute(db)
  await sql`create table calls (call_id text primary key, amount numeric)`.execute(db)
  await sql`insert into calls select 'call ' || n, 12345678901234567890 from generate_series(1, 2500) n`.execute(
    db,
  )
  return url
}

type Ended = { code: unknown; stdout: string; stderr: string }

/** Runs a command that a message names. */
function run(command: string, databaseUrl: string): Promise<Ended> {
  const [, ...args] = command.replace(/^npx /, '').split(' ')
  const program = join(packageRoot, 'dist', 'worker', 'cli.js')
  const options = { cwd: scratch, env: { DATABASE_URL: databaseUrl } }
  return new Promise((resolve) =>
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    ),
  )
}

verifies('store.migrations', 'the two named commands export and start fresh', async () => {
  const url = await olderDatabase('older')
  const message = await checkSchema(url, ourSchema).then(String, (error: Error) => error.message)
  const [exporting = '', starting = ''] = [...message.matchAll(/`([^`]+)`/g)].map(
    ([, command]) => command,
  )

  expect(await run(exporting, url)).toMatchObject({ code: 0 })
  const file = join(scratch, 'agent-rails.jsonl.gz')
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  expect(lines).toHaveLength(2501)
  expect(lines[0]).toMatch(/"table" : "calls".*"call 1".*12345678901234567890/)
  expect(lines.at(-1)).toContain('0001-payout-rail')
  expect(statSync(file).mode & 0o077).toBe(0)

  const started = await run(starting, url)
  const [kept = ''] = /older_\w+/.exec(started.stdout) ?? []
  expect(started).toMatchObject({ code: 0, stderr: '' })
  const rows = await sql`select call_id from ${sql.id(kept, 'calls')}`.execute(open(url))
  expect(rows.rows).toHaveLength(2500)
  await checkSchema(url, ourSchema)
  expect(await migrateToLatest(open(url))).toEqual([])
  const api = open(roleUrl(url, 'api', passwords))
  expect(await api.selectFrom('calls').selectAll().execute()).toEqual([])
})

verifies('store.migrations', "a fresh start leaves today's data as it is", async () => {
  const url = await newDatabase('current')
  await migrateToLatest(open(url))
  const { code, stderr } = await run('agent-rails database start-fresh', url)
  expect([code, stderr]).toEqual([
    1,
    'The database has no schema of another build; nothing was changed.\n',
  ])
  await sql`select from calls`.execute(open(url))
})

verifies('store.migrations', 'an export replaces no file', async () => {
  const url = await olderDatabase('older_twice')
  const file = join(scratch, 'taken.gz')
  writeFileSync(file, 'mine')
  expect(await run(`agent-rails database export ${file}`, url)).toMatchObject({ code: 1 })
  expect(readFileSync(file, 'utf8')).toBe('mine')
})
