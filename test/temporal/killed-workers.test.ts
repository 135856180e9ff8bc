import { type ChildProcess, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { generateSigningKeys, generateTokenKeys } from '../../activities/keys/generate.ts'
import type { Part } from '../../worker/stack/part.ts'
import { seededRandom } from '../e2e/chaos/random.ts'
import { scratchDirectory, startOwnDatabase } from '../support/postgres.ts'
import { restart } from '../support/processes.ts'
import { quietRuntime } from '../support/quiet.ts'
import { verifies } from '../verifies.ts'
import { startCalls } from './call-trials.ts'
import { openTrials, type Trial } from './table-trials.ts'
import { checkTasks, readTaskFacts, type TaskFacts } from './task-checker.ts'
import { startTaskWorkflows } from './task-fixture.ts'

quietRuntime()

type Side = 'before' | 'after' | 'none'

let fixture: Awaited<ReturnType<typeof startTaskWorkflows>>
let table: ReturnType<typeof openTrials>
let worker: ChildProcess | undefined
let environment: NodeJS.ProcessEnv
let directory: string
let parts: Record<'postgres' | 'temporal', Part>
const notified: string[] = []

beforeAll(async () => {
  const database = await startOwnDatabase()
  fixture = await startTaskWorkflows({}, { database })
  parts = { postgres: database.part, temporal: fixture.temporal }
  table = openTrials(fixture, notified)
  directory = await scratchDirectory()
  const keys = join(directory, 'keys.json')
  const tokenKeys = join(directory, 'token-keys.json')
  writeFileSync(keys, JSON.stringify(generateSigningKeys(new Date())), { mode: 0o600 })
  writeFileSync(tokenKeys, JSON.stringify(generateTokenKeys()), { mode: 0o600 })
  const address = (digit: string) => `0x${digit.repeat(40)}`
  environment = {
    PATH: process.env['PATH'],
    DATABASE_URL: fixture.tasks.url,
    TEMPORAL_ADDRESS: fixture.address,
    SIGNING_KEYS_FILE: keys,
    TOKEN_KEYS_FILE: tokenKeys,
    ASSET_CONTRACT_ADDRESS: address('1'),
    PAYOUT_WALLET_ADDRESS: address('2'),
    PAY_TO_ADDRESS: address('3'),
    TREASURY_PRINCIPAL_ADDRESS: address('4'),
    TREASURY_HOLDER_ADDRESS: address('5'),
    // Tasks at work whose turn does not come take their places as well.
    AGENT_RUNS_AT_ONCE: '100',
  }
})
afterEach(() => kill())
afterAll(() => fixture?.stop())

async function startWorker(): Promise<void> {
  const started = fork(join(import.meta.dirname, 'held-worker.mjs'), {
    env: environment,
    stdio: 'inherit',
  })
  worker = started
  await heard('serves')
}

/** What the worker says next under this name. */
function heard(name: 'serves' | 'holds'): Promise<void> {
  const from = worker as ChildProcess
  return new Promise((resolve, reject) => {
    from.on('message', (said: object) => name in said && resolve())
    from.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)))
  })
}

/** Has the worker stand still at one side of these activities; the result resolves when it stands at every one of them. */
async function hold(side: Side, trials: readonly Trial[]): Promise<{ standing: Promise<void> }> {
  const awaited = new Set(trials.map(({ key }) => key))
  const from = worker as ChildProcess
  const standing = new Promise<void>((resolve) => {
    from.on('message', ({ at, key }: { at?: Side; key?: string }) => {
      if (at === side && key !== undefined) awaited.delete(key)
      if (awaited.size === 0) resolve()
    })
  })
  from.send({ side, keys: [...awaited] })
  await heard('holds')
  return { standing }
}

async function kill(): Promise<void> {
  const victim = worker
  worker = undefined
  if (victim === undefined) return
  const gone = new Promise((resolve) => victim.once('exit', resolve))
  victim.kill('SIGKILL')
  await gone
}

const tableTrials = async () => [
  ...(await table.events()),
  ...(await table.ownMoves()),
  ...(await table.steps()),
]
const restAll = (trials: readonly Trial[]) =>
  Promise.all(trials.map(({ taskId, rests, name }) => table.rests(taskId, rests, name)))
const check = async () =>
  checkTasks(await readTaskFacts(fixture.tasks.url, fixture.address), notified)

verifies(
  ['task.kill-worker', 'task.kill-books', 'task.ledger.chain', 'run.heartbeat'],
  'the worker is killed before and after each transition and loop step',
  async () => {
    await startWorker()
    const trials = [...(await table.evidence()), ...(await tableTrials())]
    const before = await hold('before', trials)
    const begun = trials.map(({ begin }) => begin())
    await before.standing
    await kill()
    await startWorker()
    const after = await hold('after', trials)
    await after.standing
    await kill()
    await startWorker()
    await Promise.all(begun)
    await restAll(trials)
    expect(await check()).toEqual([])
    await fixture.replay(...trials.map(({ taskId }) => taskId))
  },
)

verifies(
  'task.kill-worker',
  'the checker sees lost tasks, double moves, changed entries and money',
  async () => {
    const facts = await readTaskFacts(fixture.tasks.url, fixture.address)
    const [task, event, receipt] = [facts.tasks[0], facts.events.at(-1), facts.receipts[0]]
    const posting = { receipt_id: 'rc_1', account: 'fees', units: 1 }
    const step = facts.steps[0]
    const used = facts.credits.find(({ state }) => state === 'used')
    const paid = used?.['usage_receipt_id']
    const broken: Partial<TaskFacts>[] = [
      { tasks: facts.tasks.slice(1) },
      { events: facts.events.slice(0, -1) },
      { events: [...facts.events, { ...event }] },
      {
        events: facts.events.map((each) =>
          each === event ? { ...each, actor: 'stranger' } : each,
        ),
      },
      {
        tasks: facts.tasks.map((each) =>
          each === task ? { ...each, state: 'attested', sequence: 99 } : each,
        ),
      },
      { steps: [...facts.steps, { ...step }] },
      { packages: [] },
      {
        receipts: facts.receipts.map((each) =>
          each === receipt ? { ...each, prev: 'another' } : each,
        ),
      },
      { postings: [posting] },
      { balances: [{ account: 'credit:en_1', units: 5 }] },
      {
        credits: facts.credits.map((each) =>
          each === used ? { ...each, state: 'reserved' } : each,
        ),
      },
      { credits: facts.credits.filter((each) => each !== used) },
      { uses: [...facts.uses, { ...facts.uses[0] }] },
      {
        postings: [
          ...facts.postings,
          ...facts.postings.filter(({ receipt_id }) => receipt_id === paid),
        ],
      },
      { workflows: { [String(task?.['task_id'])]: ['FAILED'] } },
    ]
    for (const [index, part] of broken.entries()) {
      expect(checkTasks({ ...facts, ...part }, notified), `break ${index}`).not.toEqual([])
    }
  },
)

const seed = 6
for (const part of ['postgres', 'temporal'] as const) {
  verifies(
    'task.kill-parts',
    `${part} is killed before and after four moves, seed ${seed}`,
    async () => {
      await startWorker()
      const trials = seededRandom(seed, part)
        .shuffled(await tableTrials())
        .slice(0, 4)
      const begun: Promise<unknown>[] = []
      for (const side of ['before', 'after'] as const) {
        const { standing } = await hold(side, trials)
        if (side === 'before') begun.push(...trials.map(({ begin }) => begin()))
        await standing
        await parts[part].kill('SIGKILL')
        if (side === 'after') await hold('none', [])
        await restart(parts[part])
      }
      await Promise.all(begun)
      await restAll(trials)
      expect(await check()).toEqual([])
    },
    180_000,
  )
}

verifies(
  'task.kill-api',
  `the API is killed at each call that moves a task, seed ${seed}`,
  async () => {
    await startWorker()
    const { api, prepare } = await startCalls(fixture, environment, directory)
    const kill = () => api.kill('SIGKILL')
    try {
      const trials = await prepare()
      const before = await hold('before', trials)
      const begun = trials.map(({ begin }) => begin())
      await sleep(seededRandom(seed, 'api').between(5, 60))
      await kill()
      await restart(api)
      await before.standing
      await kill()
      await restart(api)
      const after = await hold('after', trials)
      await after.standing
      await kill()
      await hold('none', [])
      await restart(api)
      await Promise.all(begun)
      await restAll(trials)
      notified.push(...trials.map(({ taskId }) => taskId))
      expect(await check()).toEqual([])
    } finally {
      await api.stop()
    }
  },
)
