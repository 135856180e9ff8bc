import { execFile, execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { parseNote, verifierKey } from '#domain/log/checkpoint.ts'
import { packageRoot } from '../../../activities/config/package-root.ts'
import type { Check } from '../../../worker/doctor/check.ts'
import { layoutOf } from '../../../worker/stack/layout.ts'
import { keepWitnessKey } from '../../../worker/witness/witness-key.ts'
import { eventually, openRail, type Rail } from '../../support/agent.ts'
import { expectExecutedOnce, insist, restart } from '../../support/faults.ts'
import { startPlainServer } from '../../support/plain-server.ts'
import { scratchDirectory } from '../../support/postgres.ts'
import { operatorOf, startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
let scratch: string
/** Further settings of the programs that start from now on. */
const settings: { LOG_CONTINUES?: string; LOG_WITNESSES?: string } = {}
beforeAll(async () => {
  scratch = await scratchDirectory()
  stack = await startStack({
    env: { CHAIN_POLL_MS: '100', RECONCILE_SETTLE_MS: '1000' },
    prepare: ({ name, plan }) => {
      if (!/^(signer|worker)/.test(name)) return
      const { launch } = plan
      plan.launch = async () => {
        const { env, ...launched } = await launch()
        return { ...launched, env: { ...env, ...settings } }
      }
    },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
  rmSync(scratch, { recursive: true, force: true })
})

type Kept = { file: string; note: string; origin: string; size: number }
type Report = { code: unknown; ok: boolean; faults: Record<string, Check> }

function restoreCheck(...args: string[]): Promise<Report> {
  const program = [join(packageRoot, 'dist', 'worker', 'cli.js'), 'restore-check', '--json']
  return new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      [...program, ...args],
      { env: { ...stack.env, ...settings } },
      (error, stdout) => {
        if (stdout === '') return reject(error)
        const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] }
        const faults = checks.filter((check) => !check.ok).map((check) => [check.name, check])
        return resolve({ code: error?.code ?? 0, ok, faults: Object.fromEntries(faults) })
      },
    ),
  )
}

/** Stops Postgres with all that writes to it and the signer, changes files or settings, and starts all again. */
async function whileStopped(change: () => void): Promise<void> {
  const writers = [stack.api(), stack.worker(), stack.runWorker()]
  for (const part of [...writers, stack.signer, stack.postgres]) await part.stop()
  change()
  for (const part of [stack.postgres, stack.signer, ...writers]) await restart(part)
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

/** An act that the service signs a receipt for. */
async function resumePayouts(idempotency_key: string): Promise<void> {
  const { status } = await operatorOf(stack).call('pause-set', {
    scope: 'payouts',
    paused: false,
    reason: 'the database was restored',
    idempotency_key,
  })
  expect(status).toBe(200)
}

/** The checkpoint that has every receipt so far, as someone outside keeps it. */
async function keepCheckpoint(name: string): Promise<Kept> {
  const waits = rail.db.selectFrom('log_outbox').select('position').limit(1)
  const queued = await eventually(
    () => waits.executeTakeFirst(),
    (row) => row === undefined,
  )
  expect(queued).toBeUndefined()
  const note = await (await fetch(`${stack.baseUrls[0]}/log/checkpoint`)).text()
  const file = join(scratch, name)
  writeFileSync(file, note)
  const [origin = '', size] = note.split('\n')
  return { file, note, origin, size: Number(size) }
}

/** The size of the restored log; the signer signs none below the last that it signed. */
async function signedSize(): Promise<number> {
  const { size } = await rail.db
    .selectFrom('log_checkpoints')
    .select(({ fn }) => fn.max('size').as('size'))
    .executeTakeFirstOrThrow()
  return Number(size)
}

/** Asserts that the check finds nothing wrong with the log in the light of these checkpoints. */
async function assertKnown(...kept: Kept[]): Promise<void> {
  const files = kept.map(({ file }) => file)
  const { faults } = await restoreCheck('--checkpoint', ...files)
  for (const file of files) expect(faults[`log against ${file}`]).toBeUndefined()
}

verifies(
  'operate.restore-check',
  'what a witness shows counts by its own cosignature alone',
  async () => {
    await pay()
    const { note } = await keepCheckpoint('shown.checkpoint')
    const text = parseNote(note)?.text ?? ''
    const witness = await keepWitnessKey(join(scratch, 'witness.key'), 'witness.example/w')
    const now = Math.floor(Date.now() / 1000)
    let shown = note
    const server = await startPlainServer((_request, answer) => void answer.end(shown))
    const check = async (...lines: string[]) => {
      shown = note + lines.join('')
      Object.assign(settings, {
        LOG_WITNESSES: `${verifierKey(witness.publicKey)} ${server.origin}`,
      })
      const { faults } = await restoreCheck()
      delete settings.LOG_WITNESSES
      const [name = ''] = Object.keys(faults).filter((one) => one.startsWith('log against'))
      return faults[name]?.detail
    }
    const missing = 'witness.example/w has not cosigned the checkpoint'
    expect(await check()).toBe(missing)
    expect(await check(witness.cosign(`${text}more\n`, now))).toBe(missing)
    expect(await check(witness.cosign(text, now))).toBeUndefined()
    await server.stop()
  },
)

verifies(
  ['operate.restore-check', 'log.continues'],
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
    const between = await keepCheckpoint('between.checkpoint')
    await pay()
    const after = await keepCheckpoint('after.checkpoint')
    expect(after.size).toBeGreaterThan(between.size)
    const { receipt_id } = await rail.db
      .selectFrom('receipts')
      .select('receipt_id')
      .where('kind', '=', 'payout_created')
      .orderBy('issued_at', 'desc')
      .executeTakeFirstOrThrow()
    const restore = () => {
      rmSync(postgres, { recursive: true })
      copy(backup, postgres)
    }
    await whileStopped(restore)

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
    const digest = sha256Hex(parseNote(after.note)?.text ?? '')
    const continues = `${kept}-${after.size}-${digest}`
    expect(remedy).toContain(`LOG_CONTINUES=${continues} `)
    expect(lost.faults['rows against the chain']?.detail).toContain('unexplained_outgoing')

    // The log before is not signed again, and the new one says what it continues.
    await resumePayouts('before')
    await expect
      .poll(() => stack.worker().logTail())
      .toContain('the signer refuses: a checkpoint of')
    expect(await signedSize()).toBe(kept)
    await whileStopped(() => Object.assign(settings, { LOG_CONTINUES: continues }))
    await resumePayouts('after')
    const next = await keepCheckpoint('next.checkpoint')
    expect(next.origin).toBe(`${before.origin}/${continues}`)
    expect(next.size).toBeGreaterThan(kept)
    await assertKnown(before, between, after, next)
    const lostLeaf = await fetch(`${stack.baseUrls[0]}/api/log/inclusion?receipt_id=${receipt_id}`)
    expect(await lostLeaf.json()).toMatchObject({ detail: 'the receipt is not in this log' })

    // The same happens once more: the name of the log keeps both.
    await whileStopped(restore)
    const again = await restoreCheck('--checkpoint', next.file)
    const both = `${continues}/${kept}-${next.size}-${sha256Hex(parseNote(next.note)?.text ?? '')}`
    expect(again.faults[`log against ${next.file}`]?.remedy).toContain(`LOG_CONTINUES=${both} `)
    await whileStopped(() => Object.assign(settings, { LOG_CONTINUES: both }))
    await resumePayouts('again')
    const last = await keepCheckpoint('last.checkpoint')
    expect(last.origin).toBe(`${before.origin}/${both}`)
    await assertKnown(before, between, after, next, last)
  },
)
