import { execFile } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { createDatabase } from '../../../activities/store/postgres/db.ts'
import type { Part } from '../../../worker/stack/part.ts'
import { eventually, openRail, type Rail } from '../../support/agent.ts'
import { expectExecutedOnce, insist } from '../../support/faults.ts'
import { scratchDirectory } from '../../support/postgres.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
let release: string
beforeAll(async () => {
  release = await makeNextRelease()
  stack = await startStack({ apis: 2, workers: 2 })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
  rmSync(release, { recursive: true, force: true })
})

/** The built programs with one more migration, as the next release has them. */
async function makeNextRelease(): Promise<string> {
  const folder = await scratchDirectory()
  cpSync(join(packageRoot, 'package.json'), join(folder, 'package.json'))
  cpSync(join(packageRoot, 'dist'), join(folder, 'dist'), { recursive: true })
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'))
  const chunks = join(folder, 'dist', 'chunks')
  const changed = readdirSync(chunks).filter((name) => raiseSchema(join(chunks, name)))
  expect(changed).toHaveLength(1)
  return folder
}

function raiseSchema(file: string): boolean {
  const text = readFileSync(file, 'utf8')
  const version = /version: 1,(\s+)oldestProgram: 1/
  const known = 'const migrations = {'
  if (!version.test(text) || !text.includes(known)) return false
  const migration = `"9999-next": ["alter table schema_version add column note text"]`
  const raised = text
    .replace(version, 'version: 2,$1oldestProgram: 1')
    .replace(known, `${known} ${migration},`)
  writeFileSync(file, raised)
  return true
}

/** From its next start on, the part runs the program of the next release. */
function upgrade({ plan }: Part): void {
  const { launch } = plan
  plan.launch = async () => {
    const launched = await launch()
    return { ...launched, args: launched.args.map((arg) => arg.replace(packageRoot, release)) }
  }
}

async function restart(part: Part): Promise<void> {
  await part.stop()
  await part.start()
  await part.waitReady()
}

/** Starts a part that has to end by itself, and returns how it ended and what it printed. */
async function startRefused(part: Part): Promise<{ end: string | undefined; lines: string[] }> {
  const before = part.logs().length
  await part.start()
  await part.exited
  return { end: part.end, lines: part.logs().slice(before).trim().split('\n') }
}

const isReady = async (index: number): Promise<boolean> =>
  (await fetch(`${stack.baseUrls[index]}/readyz`)).ok

async function paysThrough(api: number): Promise<void> {
  const agent = await rail.openAgent({ api })
  const { payout_id } = await rail.authorized(agent)
  const { body } = await insist(() =>
    agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' }),
  )
  await expectExecutedOnce(rail, body)
}

async function setOldestProgram(version: number): Promise<void> {
  const owner = { url: stack.databaseUrl, applicationName: 'test', poolSize: 1 }
  const { db, close } = createDatabase(owner)
  await sql`update schema_version set oldest_program = ${version}`.execute(db)
  await close()
}

verifies(
  'store.schema-version',
  'two releases run together until the schema excludes the older one',
  async () => {
    const older = [stack.api(0), stack.worker(0), stack.runWorker(0)]
    const newer = [stack.api(1), stack.worker(1)]
    for (const part of newer) {
      await part.stop()
      upgrade(part)
      expect(await startRefused(part)).toEqual({
        end: 'exit code 1',
        lines: [
          'The database has schema 1, and this program needs schema 2: run node dist/worker/migrate.js first.',
        ],
      })
    }

    const migrate = [join(release, 'dist/worker/migrate.js')]
    const env = { ...process.env, DATABASE_URL: stack.databaseUrl }
    const { stdout } = await promisify(execFile)(process.execPath, migrate, { env })
    expect(stdout).toBe('applied 9999-next\n')
    for (const part of newer) await restart(part)
    for (const part of older) await restart(part)
    for (const api of [0, 1]) expect(await eventually(() => isReady(api), Boolean)).toBe(true)
    // The API of one release with the worker of the other.
    for (const [api, worker] of [
      [0, 0],
      [1, 1],
    ] as const) {
      await stack.worker(worker).stop()
      await paysThrough(api)
      await restart(stack.worker(worker))
    }

    await setOldestProgram(2)
    const sentence =
      'The database has schema 2, which programs older than schema 2 may not use: start a newer release.'
    for (const part of older) {
      await part.exited
      expect([part.name, part.end]).toEqual([part.name, 'exit code 1'])
      expect(part.logs()).toContain(sentence)
      expect(await startRefused(part)).toEqual({ end: 'exit code 1', lines: [sentence] })
    }
    expect(newer.map(({ pid }) => pid === undefined)).toEqual([false, false])
    expect(await eventually(() => isReady(1), Boolean)).toBe(true)
  },
)
