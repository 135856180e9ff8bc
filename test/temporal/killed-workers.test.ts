import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { generateSigningKeys } from '../../activities/keys/generate.ts'
import {
  beginAttempt,
  type DeliveryRow,
  endAttempt,
  latestDelivery,
} from '../../activities/store/callback-deliveries.ts'
import { transaction } from '../../activities/store/db.ts'
import { storeDocument } from '../../activities/store/tasks.ts'
import { runIdOf } from '../../activities/tasks/facts.ts'
import { provideInput } from '../../activities/tasks/input.ts'
import { loopSteps } from '../../workflows/domain/controlled-loop.ts'
import { packetops } from '../../workflows/domain/rails/packetops.ts'
import type { TaskEvent, TaskState } from '../../workflows/domain/task-lifecycle.ts'
import type { TaskEventData, TaskTerms } from '../../workflows/domain/task-terms.ts'
import { hour, stateLimits } from '../activities/tasks/rig.ts'
import { rollDice } from '../chaos/dice.ts'
import { scratchDirectory } from '../support/postgres.ts'
import { restart } from '../support/processes.ts'
import { quietRuntime } from '../support/quiet.ts'
import { verifies } from '../verifies.ts'
import { judgeTasks, readTaskFacts, type TaskFacts } from './task-checker.ts'
import { startTaskWorkflows } from './task-rig.ts'

quietRuntime()

/** One move of a task: the activity that makes it, who sets it off, and where the task comes to rest. */
type Trial = { name: string; taskId: string; key: string; begin: () => Promise<unknown>; rests: TaskState }
type Side = 'before' | 'after' | 'none'

let rig: Awaited<ReturnType<typeof startTaskWorkflows>>
let worker: ChildProcess | undefined
let environment: NodeJS.ProcessEnv
const told: string[] = []

beforeAll(async () => {
  rig = await startTaskWorkflows()
  const keys = join(await scratchDirectory(), 'keys.json')
  writeFileSync(keys, JSON.stringify(generateSigningKeys(new Date())), { mode: 0o600 })
  const address = (digit: string) => `0x${digit.repeat(40)}`
  environment = {
    PATH: process.env['PATH'],
    ...{ DATABASE_URL: rig.tasks.url, TEMPORAL_ADDRESS: rig.address, SIGNING_KEYS_FILE: keys },
    ...{ ASSET_CONTRACT_ADDRESS: address('1'), PAYOUT_WALLET_ADDRESS: address('2'), PAY_TO_ADDRESS: address('3') },
    ...{ TREASURY_PRINCIPAL_ADDRESS: address('4'), TREASURY_HOLDER_ADDRESS: address('5') },
  }
}, 240_000)
afterEach(() => kill())
afterAll(() => rig?.stop())

async function startWorker(): Promise<void> {
  const started = fork(join(import.meta.dirname, 'held-worker.mjs'), { env: environment, stdio: 'inherit' })
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

/** Repeats a call as an agent does who does not know what became of it. */
async function insist<Result>(call: () => Promise<Result>, until = Date.now() + 90_000): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (Date.now() > until) throw error
    await sleep(200)
    return insist(call, until)
  }
}

/** A move that an event makes; whoever asks for it repeats it with the same event id. */
function byEvent<Event extends TaskEvent>(
  taskId: string,
  event: Event,
  data: TaskEventData[Event],
  rests: TaskState,
): Trial {
  const eventId = randomBytes(8).toString('hex')
  const begin = () => insist(() => rig.send(taskId, event, data, eventId))
  return { name: event, taskId, key: `${taskId} ${event}`, begin, rests }
}

/** A move that the service makes by itself when the task is looked at. */
const byItself = (name: string, taskId: string, rests: TaskState): Trial => {
  return { name, taskId, key: `${taskId} own`, begin: () => insist(() => rig.gateway.wake(taskId)), rests }
}

async function inState(state: TaskState, changed: Partial<TaskTerms> = {}): Promise<string> {
  const { task_id } = await rig.tasks.taskIn(state, changed)
  told.push(task_id)
  return task_id
}

/** Every move of the table that an agent or an operator makes. */
async function events(): Promise<Trial[]> {
  const receipt = `rc_${'b'.repeat(64)}`
  const { taskId, submit } = await rig.tasks.draft({ callback_url: null })
  const by = { eventId: 'submit', actor: 'agent:agt_1' }
  const begin = () => {
    told.push(taskId)
    return insist(() => rig.gateway.submit(taskId, submit[1].terms_sha256, by))
  }
  const unknown = { agent_id: `agt_${'f'.repeat(64)}` }
  const prepared = await inState('preflight_checked')
  const terms_sha256 = await storeDocument(rig.db, prepared, { scope: [] })
  const ready = await inState('contract_ready')
  const accepted = await storeDocument(rig.db, ready, { contract: 'terms', task_id: ready })
  const held = { code: 'operator_hold', detail: 'held' } as const
  return [
    { name: 'submit', taskId, key: `${taskId} submit`, begin, rests: 'preflight_checked' },
    byEvent(prepared, 'contract_prepared', { contract_id: `ct_${prepared.slice(5)}`, terms_sha256 }, 'contract_ready'),
    byEvent(ready, 'contract_accepted', { terms_sha256: accepted }, 'trusted'),
    byEvent(await inState('contract_ready'), 'contract_declined', {}, 'closed'),
    byEvent(await inState('trust_pending', unknown), 'trust_granted', {}, 'trusted'),
    byEvent(await inState('trust_pending', unknown), 'trust_denied', {}, 'closed'),
    byEvent(await inState('trusted'), 'quote_issued', { quote_id: 'qt_1' }, 'quoted'),
    byEvent(await inState('quoted'), 'credit_requested', { entitlement_id: 'en_1' }, 'credit_pending'),
    byEvent(await inState('credit_pending'), 'credit_funded', { settlement_receipt_id: receipt }, 'credit_funded'),
    byEvent(await inState('credit_funded'), 'review_rejected', {}, 'closed'),
    byEvent(await inState('attested'), 'receipts_issued', { usage_receipt_id: receipt }, 'callback_pending'),
    byEvent(await inState('quoted'), 'exception_raised', held, 'exception_open'),
    byEvent(await inState('exception_open'), 'replay_prepared', { action: 'replay' }, 'replay_ready'),
    byEvent(await inState('exception_open'), 'abandoned', {}, 'closed'),
    byEvent(await inState('replay_ready'), 'replayed', {}, 'attested'),
    byEvent(await inState('replay_ready'), 'abandoned', {}, 'closed'),
  ]
}

/** A task whose receiver has taken the callback. */
async function delivered(): Promise<string> {
  const taskId = await inState('callback_pending')
  await transaction(rig.db, async (tx) => {
    const delivery = (await latestDelivery(tx, taskId, 'task_updated')) as DeliveryRow
    const attempt = await beginAttempt(tx, delivery, 'delivery', 'a'.repeat(64))
    await endAttempt(tx, delivery.delivery_id, attempt, { outcome: 'taken', status: 200, failure: null })
  })
  return taskId
}

/** Every move that the service makes by itself, lapses among them. */
async function ownMoves(): Promise<Trial[]> {
  const over = { contract_ready: -hour, quoted: -hour, credit_pending: -hour }
  const funded = await inState('credit_funded')
  await transaction(rig.db, (tx) => provideInput(tx, funded, packetops.sandboxInput))
  const late = async (state: TaskState, ...move: Parameters<typeof rig.tasks.record>[1]) => {
    const taskId = await inState(state)
    await rig.tasks.record(taskId, move, undefined, { ...stateLimits, ...over })
    return taskId
  }
  const contract = await inState('preflight_checked')
  const terms_sha256 = await storeDocument(rig.db, contract, { scope: [] })
  const prepared = { contract_id: `ct_${contract.slice(5)}`, terms_sha256 }
  await rig.tasks.record(contract, ['contract_prepared', prepared], undefined, over)
  return [
    byItself('preflight_passed', await inState('created', { callback_url: null }), 'preflight_checked'),
    byItself('trust_requested', await inState('contract_accepted'), 'trusted'),
    byItself('enqueued', funded, 'attested'),
    byItself('started', await inState('queued'), 'attested'),
    byItself('callback_scheduled', await inState('receipt_issued'), 'callback_pending'),
    byItself('callback_delivered', await delivered(), 'closed'),
    byItself('closed', await inState('callback_delivered'), 'closed'),
    byItself('closed after a failure', await inState('failed'), 'closed'),
    byItself('contract_lapsed', contract, 'closed'),
    byItself('quote_lapsed', await late('trusted', 'quote_issued', { quote_id: 'qt_1' }), 'exception_open'),
    byItself('credit_lapsed', await late('quoted', 'credit_requested', { entitlement_id: 'en_1' }), 'exception_open'),
  ]
}

/** Each step of the loop in a run of its own. */
async function steps(): Promise<Trial[]> {
  const wake = (taskId: string) => insist(() => rig.gateway.wake(taskId))
  const trials: Trial[] = []
  for (const step of loopSteps) {
    const taskId = await inState('operating')
    trials.push({ name: step, taskId, key: `${runIdOf(taskId)} ${step}`, begin: () => wake(taskId), rests: 'attested' })
  }
  const gaps = await inState('operating', { on_gaps: 'ask' })
  const key = `${runIdOf(gaps)} exception_agent`
  trials.push({ name: 'evidence_missing', taskId: gaps, key, begin: () => wake(gaps), rests: 'evidence_partial' })
  return trials
}

/** What an agent or an operator does about gaps; the run that found them is a real one. */
async function evidence(): Promise<Trial[]> {
  const [supplied, waived] = [
    await inState('operating', { on_gaps: 'ask' }),
    await inState('operating', { on_gaps: 'ask' }),
  ]
  for (const taskId of [supplied, waived]) await insist(() => rig.gateway.wake(taskId))
  for (const taskId of [supplied, waived]) await rests(taskId, 'evidence_partial')
  const { items, ...rest } = packetops.sandboxInput as { items: { content?: string }[] }
  const whole = { ...rest, items: items.filter(({ content }) => content !== undefined) }
  const input_sha256 = await storeDocument(rig.db, supplied, whole)
  return [
    byEvent(supplied, 'evidence_supplied', { input_sha256 }, 'attested'),
    byEvent(waived, 'evidence_waived', {}, 'attested'),
  ]
}

async function rests(taskId: string, state: TaskState, name: string = state): Promise<void> {
  const read = () => rig.db.selectFrom('tasks').select('state').where('task_id', '=', taskId).executeTakeFirst()
  await expect
    .poll(async () => (await insist(read))?.state, { message: name, timeout: 60_000, interval: 200 })
    .toBe(state)
}

const restAll = (trials: readonly Trial[]) =>
  Promise.all(trials.map(({ taskId, rests: state, name }) => rests(taskId, state, name)))
const judge = async () => judgeTasks(await readTaskFacts(rig.tasks.url, rig.address), told)

verifies(
  ['task.kill-worker', 'task.ledger.chain', 'run.heartbeat'],
  'the worker is killed at each move of the table and at each step of the loop, before it and after its commit',
  async () => {
    await startWorker()
    const trials = [...(await evidence()), ...(await events()), ...(await ownMoves()), ...(await steps())]
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
    expect(await judge()).toEqual([])
    await rig.replay(...trials.map(({ taskId }) => taskId))
  },
  180_000,
)

verifies(
  'task.kill-worker',
  'the checker sees a lost task, a move made twice, a changed entry and money from nowhere',
  async () => {
    const facts = await readTaskFacts(rig.tasks.url, rig.address)
    const [task, event, receipt] = [facts.tasks[0], facts.events.at(-1), facts.receipts[0]]
    const posting = { receipt_id: 'rc_1', account: 'fees', units: 1 }
    const step = facts.steps[0]
    const broken: Partial<TaskFacts>[] = [
      { tasks: facts.tasks.slice(1) },
      { events: facts.events.slice(0, -1) },
      { events: [...facts.events, { ...event }] },
      { events: facts.events.map((each) => (each === event ? { ...each, actor: 'somebody' } : each)) },
      { tasks: facts.tasks.map((each) => (each === task ? { ...each, state: 'attested', sequence: 99 } : each)) },
      { steps: [...facts.steps, { ...step }] },
      { packages: [] },
      { receipts: facts.receipts.map((each) => (each === receipt ? { ...each, prev: 'another' } : each)) },
      { postings: [posting] },
      { balances: [{ account: 'credit:en_1', units: 5 }] },
      { workflows: { [String(task?.['task_id'])]: ['FAILED'] } },
    ]
    for (const [index, part] of broken.entries()) {
      expect(judgeTasks({ ...facts, ...part }, told), `break ${index}`).not.toEqual([])
    }
  },
)

const seed = 6
for (const part of ['postgres', 'temporal'] as const) {
  verifies(
    'task.kill-parts',
    `${part} is killed at four moves, seed ${seed}: before them and after their commit`,
    async () => {
      await startWorker()
      const all = [...(await events()), ...(await ownMoves()), ...(await steps())]
      const trials = rollDice(seed, part).shuffled(all).slice(0, 4)
      const begun: Promise<unknown>[] = []
      for (const side of ['before', 'after'] as const) {
        const { standing } = await hold(side, trials)
        if (side === 'before') begun.push(...trials.map(({ begin }) => begin()))
        await standing
        await rig.parts[part].kill('SIGKILL')
        if (side === 'after') await hold('none', [])
        await restart(rig.parts[part])
      }
      await Promise.all(begun)
      await restAll(trials)
      expect(await judge()).toEqual([])
    },
    180_000,
  )
}
