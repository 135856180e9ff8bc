import { execFile, execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { packageRoot } from '../../../activities/config/package-root.ts'
import type { Check } from '../../../worker/doctor/check.ts'
import { layoutOf } from '../../../worker/stack/layout.ts'
import { eventually, openRail, type Rail } from '../../support/agent.ts'
import { expectExecutedOnce, insist, restart } from '../../support/faults.ts'
import { scratchDirectory } from '../../support/postgres.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
let scratch: string
beforeAll(async () => {
  scratch = await scratchDirectory()
  stack = await startStack({ env: { CHAIN_POLL_MS: '100', RECONCILE_SETTLE_MS: '1000' } })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
  rmSync(scratch, { recursive: true, force: true })
})

type Report = { code: unknown; ok: boolean; faults: Record<string, Check> }

function restoreCheck(...args: string[]): Promise<Report> {
  const program = [join(packageRoot, 'dist', 'worker', 'cli.js'), 'restore-check', '--json']
  return new Promise((resolve, reject) =>
    execFile(process.execPath, [...program, ...args], { env: stack.env }, (error, stdout) => {
      if (stdout === '') return reject(error)
      const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] }
      const faults = checks.filter((check) => !check.ok).map((check) => [check.name, check])
      return resolve({ code: error?.code ?? 0, ok, faults: Object.fromEntries(faults) })
    }),
  )
}

/** Stops Postgres with all that writes to it, changes its files, and starts all again. */
async function whileStopped(change: () => void): Promise<void> {
  const writers = [stack.api(), stack.worker(), stack.runWorker()]
  for (const part of [...writers, stack.postgres]) await part.stop()
  change()
  for (const part of [stack.postgres, ...writers]) await restart(part)
}

/** With owners and modes, which Postgres judges. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to])

async function pay(): Promise<void> {
  const agent = await rail.openAgent()
  const { payout_id } = await rail.authorized(agent)
  const execute = () =>
    agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })
  await expectExecutedOnce(rail, (await insist(execute)).body)
}

/** The checkpoint that has every receipt so far, as someone outside keeps it. */
async function keepCheckpoint(name: string): Promise<{ file: string; size: number }> {
  const waits = rail.db.selectFrom('log_outbox').select('position').limit(1)
  const queued = await eventually(
    () => waits.executeTakeFirst(),
    (row) => row === undefined,
  )
  expect(queued).toBeUndefined()
  const note = await (await fetch(`${stack.baseUrls[0]}/log/checkpoint`)).text()
  const file = join(scratch, name)
  writeFileSync(file, note)
  return { file, size: Number(note.split('\n')[1]) }
}

/** The size of the restored log; the signer signs none below the last that it signed. */
async function signedSize(): Promise<number> {
  const { size } = await rail.db
    .selectFrom('log_checkpoints')
    .select(({ fn }) => fn.max('size').as('size'))
    .executeTakeFirstOrThrow()
  return Number(size)
}

verifies(
  'operate.restore-check',
  'a restore that lost something says what, and exits 1',
  async () => {
    const { postgres } = layoutOf(stack.dataDirectory)
    const backup = join(scratch, 'backup')
    await pay()
    const before = await keepCheckpoint('before.checkpoint')
    expect(await restoreCheck('--checkpoint', before.file)).toEqual({
      code: 0,
      ok: true,
      faults: {},
    })
    const unknown = await restoreCheck()
    expect([unknown.code, Object.keys(unknown.faults)]).toEqual([1, ['log']])

    await whileStopped(() => copy(postgres, backup))
    await pay()
    const after = await keepCheckpoint('after.checkpoint')
    expect(after.size).toBeGreaterThan(before.size)
    await whileStopped(() => {
      rmSync(postgres, { recursive: true })
      copy(backup, postgres)
    })

    const kept = await signedSize()
    expect(kept).toBeGreaterThanOrEqual(before.size)
    expect(kept).toBeLessThan(after.size)

    const lost = await restoreCheck('--checkpoint', before.file, after.file)
    expect([lost.code, lost.ok]).toEqual([1, false])
    expect(lost.faults[`log against ${before.file}`]).toBeUndefined()
    const { detail, remedy } = lost.faults[`log against ${after.file}`] as Check
    expect(detail).toContain(
      `this database ${kept}: the leaves ${kept} to ${after.size - 1} are lost`,
    )
    expect(remedy).toContain('Backup and restore')
    expect(lost.faults['rows against the chain']?.detail).toContain('unexplained_outgoing')
  },
)
