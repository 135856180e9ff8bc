import { execSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { writeSecret } from '../../../activities/config/secret-file.ts'
import { createDatabase } from '../../../activities/store/postgres/db.ts'
import { bringUp } from '../../../worker/stack/embedded.ts'
import { layoutOf } from '../../../worker/stack/layout.ts'
import { mayBeOlder } from '../../../worker/stack/older-data.ts'
import type { Part } from '../../../worker/stack/part.ts'
import { freePorts, type Ports } from '../../../worker/stack/ports.ts'
import { postgresPart, postgresUrl } from '../../../worker/stack/postgres.ts'
import { scratchDirectory } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let data: string
let exported: string
let ports: Ports
const running: Part[] = []

beforeAll(async () => {
  data = await scratchDirectory()
  exported = await scratchDirectory()
  ports = await freePorts()
})
afterAll(async () => {
  for (const part of running) await part.stop()
  for (const folder of [data, `${data}.older`, exported])
    await rm(folder, { recursive: true, force: true })
})

async function start(part: Part): Promise<void> {
  running.push(part)
  await part.start()
  await part.waitReady()
}

/** Leaves the data of an older schema in the folder, as an earlier release did. */
async function leaveOlderData(): Promise<void> {
  const layout = layoutOf(data)
  const settings = {
    directory: layout.postgres,
    port: ports.postgres,
    password: 'older',
    logFile: layout.log('postgres'),
  }
  writeSecret(layout.postgresPassword, settings.password)
  const part = postgresPart(settings)
  await start(part)
  const { db, close } = createDatabase({ url: postgresUrl(settings), applicationName: 'test' })
  await sql`create table calls (call_id text primary key)`.execute(db)
  await close()
  await part.stop()
  running.pop()
}

verifies('store.migrations', 'npm start stops at the data of an older schema', async () => {
  await leaveOlderData()
  const files = readdirSync(data)
  const keys = readdirSync(join(data, 'keys'))
  const started: string[] = []
  const up = bringUp({
    dataDirectory: data,
    ports,
    inherited: process.env,
    path: process.env['PATH'] ?? '',
    cacheHome: data,
    say: () => undefined,
    start: async (part) => {
      started.push(part.name)
      await start(part)
    },
  })
  const text = await up.then(String, (error: Error) => error.message)
  expect(started).toEqual(['postgres'])
  expect(readdirSync(data)).toEqual(files)
  expect(readdirSync(join(data, 'keys'))).toEqual(keys)

  for (const part of running.splice(0)) await part.stop()
  const commands = /`(tar -czf) (agent-rails-data\.tgz) (\S+)`.*`(mv \S+ \S+) && npm start`\.$/
  const [, tar = '', file = '', folder = '', move = ''] = commands.exec(text) ?? []
  const archive = join(exported, file)
  execSync(`${tar} ${archive} ${folder} && ${move}`, { stdio: 'ignore' })
  expect(execSync(`tar -tzf ${archive}`, { encoding: 'utf8' })).toContain('/postgres/PG_VERSION')
  expect(mayBeOlder(layoutOf(data))).toBe(false)
  expect(readdirSync(`${data}.older`)).toEqual(files)
})
