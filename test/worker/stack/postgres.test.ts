import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Part } from '../../../worker/stack/part.ts'
import { findFree } from '../../../worker/stack/ports.ts'
import { type PostgresSettings, postgresPart, postgresUrl } from '../../../worker/stack/postgres.ts'
import { scratchDirectory } from '../../support/postgres.ts'

let directory: string
let settings: PostgresSettings
let part: Part

beforeAll(async () => {
  directory = await scratchDirectory()
  const [port = 0] = await findFree(1)
  settings = {
    directory: join(directory, 'postgres'),
    port,
    password: 'p4ss',
    logFile: join(directory, 'postgres.log'),
  }
  part = postgresPart(settings)
  await part.start()
  await part.waitReady()
})

afterAll(async () => {
  await part.stop()
  await rm(directory, { recursive: true, force: true })
})

async function rows(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: postgresUrl(settings) })
  await client.connect()
  const result = await client.query(text)
  await client.end()
  return result.rows ?? []
}

test('the embedded server is PostgreSQL 18 with the database agent_rails', async () => {
  expect(
    await rows(
      'select current_database() as name, current_setting($$server_version_num$$)::int / 10000 as major',
    ),
  ).toEqual([{ name: 'agent_rails', major: 18 }])
})

test('what was committed is there after kill -9 and a start', async () => {
  await rows('create table kept (id int); insert into kept values (7)')
  await part.kill('SIGKILL')
  await part.start()
  await part.waitReady()
  expect(await rows('select id from kept')).toEqual([{ id: 7 }])
})

test('a postmaster.pid of a foreign process does not prevent a start', async () => {
  await part.stop()
  await writeFile(
    join(settings.directory, 'postmaster.pid'),
    `${process.pid}\n${settings.directory}\n`,
  )
  await part.start()
  await part.waitReady()
  expect(await readFile(join(settings.directory, 'postmaster.pid'), 'utf8')).toContain(
    String(part.pid),
  )
})

test('an orphaned server is ended before the next start on its data', async () => {
  const left = part.pid as number
  const next = postgresPart({ ...settings, port: (await findFree(1))[0] ?? 0 })
  await next.start()
  await next.waitReady()
  expect(() => process.kill(left, 0)).toThrow()
  await next.stop()
})
