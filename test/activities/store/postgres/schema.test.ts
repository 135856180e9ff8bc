import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { createDatabase, type OpenDatabase } from '../../../../activities/store/postgres/db.ts'
import { migrateToLatest, ourSchema } from '../../../../activities/store/postgres/migrate.ts'
import {
  checkSchema,
  findMisfit,
  storeVersion,
} from '../../../../activities/store/postgres/schema-version.ts'
import { checkPostgres } from '../../../../worker/doctor/postgres.ts'
import { startPostgres } from '../../../support/postgres.ts'
import { tableTypes } from '../../../support/table-types.ts'
import { verifies } from '../../../verifies.ts'

const typedTables = join(import.meta.dirname, '../../../../activities/store/schema/schema.ts')

let postgres: Awaited<ReturnType<typeof startPostgres>>
const opened: OpenDatabase[] = []

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  for (const { close } of opened) await close()
  await postgres?.stop()
})

async function newDatabase(name: string): Promise<OpenDatabase & { url: string }> {
  await sql.raw(`create database ${name}`).execute(openAt(postgres.url).db)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return { ...openAt(url.href), url: url.href }
}

function openAt(url: string): OpenDatabase {
  const open = createDatabase({ url, applicationName: 'test', poolSize: 1 })
  opened.push(open)
  return open
}

async function olderDatabase(name: string): Promise<OpenDatabase & { url: string }> {
  const older = await newDatabase(name)
  await sql`create table kysely_migration (name text primary key, timestamp text)`.execute(older.db)
  await sql`create table calls (call_id text primary key)`.execute(older.db)
  await sql`insert into kysely_migration values ('0001-payout-rail', 'then')`.execute(older.db)
  return older
}

/** Every relation of ours with its rows. */
async function contentOf({ db }: OpenDatabase): Promise<unknown> {
  const { rows } = await sql`
    select relname, query_to_xml(format('select * from %I', relname), true, false, '')::text as content
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`.execute(
    db,
  )
  return rows
}

verifies('store.migrations', 'the typed tables are those of the migrated database', async () => {
  const migrated = await newDatabase('typed')
  await migrateToLatest(migrated.db)
  const made = await tableTypes(migrated.db)
  if (process.env['WRITE_TYPES'] !== undefined) writeFileSync(typedTables, made)
  // `npm run store:types` writes the file.
  expect(readFileSync(typedTables, 'utf8')).toBe(made)
})

verifies('store.migrations', 'the migrations stop at an older schema', async () => {
  const older = await olderDatabase('older')
  const before = await contentOf(older)
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.stubEnv('DATABASE_URL', older.url)
  await import('../../../../worker/migrate.ts')
  const [lines, code] = [printed.mock.calls.map(([line]) => String(line)), process.exitCode]
  process.exitCode = 0
  printed.mockRestore()
  vi.unstubAllEnvs()
  expect(code).toBe(1)
  expect(lines).toEqual([
    expect.stringMatching(
      /^The database has the schema of another build .*`npx agent-rails database export \S+`.*`npx agent-rails database start-fresh`\.$/,
    ),
  ])
  expect(await contentOf(older)).toEqual(before)
})

verifies('store.schema-version', 'a program stops outside the range of the schema', async () => {
  const older = await olderDatabase('older_start')
  const current = await newDatabase('current_start')
  await checkSchema(current.url, ourSchema)
  await migrateToLatest(current.db)
  await checkSchema(current.url, ourSchema)
  await expect(checkSchema(older.url, ourSchema)).rejects.toThrow('database start-fresh')
  await checkSchema('postgres://unknown@127.0.0.1:1/none', ourSchema)

  const newer = { ...ourSchema, version: ourSchema.version + 1 }
  await expect(checkSchema(current.url, newer)).rejects.toThrow(
    /^The database has schema 1, and this program needs schema 2: run node dist\/worker\/migrate\.js first\.$/,
  )
  const next = { ...newer, digests: { ...ourSchema.digests, '9999-next': 'a'.repeat(64) } }
  await storeVersion(current.db, next)
  await checkSchema(current.url, ourSchema)
  await expect(migrateToLatest(current.db)).rejects.toThrow(/this release only schema 1/)
  await sql`update schema_version set oldest_program = 2`.execute(current.db)
  await expect(checkSchema(current.url, ourSchema)).rejects.toThrow(
    /programs older than schema 2 may not use/,
  )
})

verifies('store.schema-version', 'start, readiness and doctor judge alike', async () => {
  const empty = await newDatabase('judged_empty')
  const older = await olderDatabase('judged_older')
  const current = await newDatabase('judged')
  await migrateToLatest(current.db)
  const judge = async ({ db, url }: { db: OpenDatabase['db']; url: string }) => {
    const settings = { DATABASE_URL: url, GAS_WALLET_JAM_AFTER_MS: 90_000, INPUT_SPACE_PATH: '' }
    const checks = await checkPostgres({ ...settings, RECONCILE_EVERY_MS: 3_600_000 })
    const doctor = checks.find(({ name }) => name === 'migrations')
    const misfit = await findMisfit(db, ourSchema)
    expect(doctor?.ok).toBe(misfit === undefined)
    if (misfit !== undefined) expect(doctor?.detail).toBe(misfit.fault)
    const refused = await checkSchema(url, ourSchema).then(
      () => undefined,
      ({ message }: Error) => message,
    )
    return { refused, ready: misfit?.message }
  }
  expect(await judge(empty)).toEqual({
    refused: undefined,
    ready: 'The database has no schema: run node dist/worker/migrate.js first.',
  })
  const foreign = await judge(older)
  expect(foreign.refused).toMatch(/^The database has the schema of another build/)
  expect(foreign.ready).toBe(foreign.refused)
  expect(await judge(current)).toEqual({ refused: undefined, ready: undefined })
  await storeVersion(current.db, {
    version: ourSchema.version + 1,
    oldestProgram: ourSchema.version,
    digests: { ...ourSchema.digests, '9999-next': 'a'.repeat(64) },
  })
  expect(await judge(current)).toEqual({ refused: undefined, ready: undefined })
  await sql`update schema_version set oldest_program = version`.execute(current.db)
  const newer = await judge(current)
  expect(newer.refused).toMatch(/^The database has schema 2, .*: start a newer release\.$/)
  expect(newer.ready).toBe(newer.refused)
})

verifies('store.schema-version', 'an edited or missing migration is another build', async () => {
  const current = await newDatabase('edited')
  await migrateToLatest(current.db)
  const [first = ''] = Object.keys(ourSchema.digests)
  const { [first]: _first, ...rest } = ourSchema.digests
  for (const digests of [{ ...rest, [first]: '0'.repeat(64) }, rest])
    await expect(checkSchema(current.url, { ...ourSchema, digests })).rejects.toThrow(
      'the schema of another build and was not changed',
    )
})
