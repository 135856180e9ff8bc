import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'
import { ChildDied, type RailPool } from '../../../activities/isolation/rail-pool.ts'
import { digestOf } from '../../../workflows/domain/canonical-json.ts'
import { DomainError } from '../../../workflows/domain/errors.ts'
import { rails } from '../../../workflows/domain/rails/index.ts'
import { startRailPool } from '../../support/rail-pool.ts'
import { verifies } from '../../verifies.ts'

const MB = 1024 * 1024
const pools: RailPool[] = []
const poolOf = (...changes: Parameters<typeof startRailPool>) => {
  const pool = startRailPool(...changes)
  pools.push(pool)
  return pool
}
afterAll(async () => {
  for (const pool of pools) await pool.close()
})

const upload = { invoices: { sha256: 'a'.repeat(64) }, payments: [] }
/** Rows without an end: whoever reads them needs time and memory without an end too. */
function* endless(more: (at: number) => object) {
  for (let at = 0; ; at += 1_000)
    yield Buffer.from(Array.from({ length: 1_000 }, (_, index) => `${JSON.stringify(more(at + index))}\n`).join(''))
}
const invoice = (id: string) => ({ id, amount_minor: 1, currency: 'USD', counterparty: 'a', due_at: '2026-01-01' })
const runEndless = (pool: RailPool, id: (at: number) => string, signal?: AbortSignal) =>
  pool.run(
    { kind: 'work', rail: 'financeops', value: upload, lists: { invoices: 'jsonl' } },
    { invoices: Readable.from(endless((at) => invoice(id(at)))) },
    signal,
  )
const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.catch((thrown: unknown) => thrown)
  if (!(error instanceof DomainError)) throw error
  return error.refusal
}

verifies('isolation.processes', 'every rail does its work in a process of the pool as it does here', async () => {
  const pool = poolOf()
  for (const { key, sandboxInput, work } of rails) {
    const apart = await pool.run({ kind: 'work', rail: key, value: sandboxInput, lists: {} })
    expect(digestOf(apart), key).toBe(digestOf(work(sandboxInput)))
  }
})

verifies(
  'isolation.limits',
  'work over its processor time is killed and refused, and the next one is done',
  async () => {
    const pool = poolOf({ cpuMs: 1_500, wallMs: 600_000 })
    const begun = performance.now()
    const [first] = rails
    const fine = async () =>
      expect(await pool.run({ kind: 'work', rail: 'packetops', value: first?.sandboxInput, lists: {} })).toBeTruthy()
    // The same id over and over takes time, and hardly any memory until then.
    const refused = refusalOf(runEndless(pool, (at) => `i${at % 10}`))
    await fine()
    expect(await refused).toMatchObject({
      code: 'input_too_complex',
      detail: expect.stringContaining('processor time'),
    })
    expect(performance.now() - begun).toBeLessThan(60_000)
    await fine()
  },
)

verifies('isolation.limits', 'work over its memory is killed and refused', async () => {
  const pool = poolOf({ memoryBytes: 200 * MB })
  const refusal = await refusalOf(runEndless(pool, (at) => `i${at}`))
  expect(refusal).toMatchObject({ code: 'input_too_complex', detail: 'the work took more than 200 MB of memory' })
})

verifies('isolation.limits', 'work that waits for ever is ended by the clock', async () => {
  const pool = poolOf({ wallMs: 1_000 })
  const stalled = Readable.from(
    (async function* () {
      yield Buffer.from('\n')
      await sleep(20_000, undefined, { ref: false })
    })(),
  )
  const work = pool.run(
    { kind: 'work', rail: 'financeops', value: upload, lists: { invoices: 'jsonl' } },
    { invoices: stalled },
  )
  expect(await refusalOf(work)).toMatchObject({ code: 'input_too_complex', detail: 'the work took longer than 1 s' })
})

verifies(
  'isolation.limits',
  'what a list or its caller breaks off is no verdict, and neither is a child that is killed',
  async () => {
    const pool = poolOf()
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('\n')
        throw new Error('the database is gone')
      })(),
    )
    const job = { kind: 'work', rail: 'financeops', value: upload, lists: { invoices: 'jsonl' } } as const
    await expect(pool.run(job, { invoices: broken })).rejects.toThrow('the database is gone')
    const stop = AbortSignal.timeout(500)
    await expect(runEndless(pool, (at) => `i${at % 10}`, stop)).rejects.toThrow('timeout')
    const killed = runEndless(pool, (at) => `i${at % 10}`)
    await Promise.all([expect(killed).rejects.toBeInstanceOf(ChildDied), killOwnChild()])
  },
)

verifies('isolation.child', 'a child has no environment, reads no file of ours and starts no program', async () => {
  const pool = poolOf()
  const busy = runEndless(pool, (at) => `i${at % 10}`, AbortSignal.timeout(3_000)).catch(() => undefined)
  const pid = await ownChild()
  const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map((line) => line.split('=')[0])
  expect(names.filter((name) => name !== '').toSorted()).toEqual([
    'NODE_CHANNEL_FD',
    'NODE_CHANNEL_SERIALIZATION_MODE',
    'TINYPOOL_WORKER_ID',
  ])
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  expect(command.some((flag) => /^--(experimental-)?permission$/.test(flag))).toBe(true)
  expect(command.filter((flag) => /^--allow-/.test(flag) && !/^--allow-(worker|fs-read=)/.test(flag))).toEqual([])
  for (const flag of command.filter((one) => one.startsWith('--allow-fs-read=')))
    expect(flag).toMatch(/(\/dist\/\*|\/package\.json|\/node_modules\/\*)$/)
  await busy
})

/** The busiest child of this process that is a child of the pool. */
async function ownChild(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ')
    const found = children
      .filter((pid) => pid !== '')
      .filter((pid) => {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return command.includes('tinypool') && Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[13]) > 40
      })
    const last = found.at(-1)
    if (last !== undefined) return Number(last)
    await sleep(100)
  }
  throw new Error('no child of the pool is at work')
}
const killOwnChild = async () => process.kill(await ownChild(), 'SIGKILL')
