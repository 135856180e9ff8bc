import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
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
import type { startTaskWorkflows } from './task-rig.ts'

/** One move of a task: the activity that makes it, who sets it off, and where the task comes to rest. */
export type Trial = { name: string; taskId: string; key: string; begin: () => Promise<unknown>; rests: TaskState }

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

/** States of a task that works with credit set aside for it. */
const funded: readonly TaskState[] = [
  ...(['credit_funded', 'queued', 'operating', 'evidence_partial', 'result_ready', 'attested'] as const),
  ...(['exception_open', 'replay_ready', 'failed'] as const),
]

/** The moves of the table, each of a task of its own; whose are begun is written down in `told`. */
export function openTrials(rig: Awaited<ReturnType<typeof startTaskWorkflows>>, told: string[]) {
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

  async function inState(
    state: TaskState,
    changed: Partial<TaskTerms> = {},
    paid = funded.includes(state),
  ): Promise<string> {
    const { task_id } = await rig.tasks.taskIn(state, changed, { paid })
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
      byEvent(
        prepared,
        'contract_prepared',
        { contract_id: `ct_${prepared.slice(5)}`, terms_sha256 },
        'contract_ready',
      ),
      byEvent(ready, 'contract_accepted', { terms_sha256: accepted }, 'trusted'),
      byEvent(await inState('contract_ready'), 'contract_declined', {}, 'closed'),
      byEvent(await inState('trust_pending', unknown), 'trust_granted', {}, 'trusted'),
      byEvent(await inState('trust_pending', unknown), 'trust_denied', {}, 'closed'),
      byEvent(await inState('trusted'), 'quote_issued', { quote_id: 'qt_1' }, 'quoted'),
      byEvent(await inState('quoted'), 'credit_requested', { entitlement_id: 'en_1' }, 'credit_pending'),
      byEvent(await inState('credit_pending'), 'credit_funded', { settlement_receipt_id: receipt }, 'credit_funded'),
      byEvent(await inState('credit_funded'), 'review_rejected', {}, 'closed'),
      byEvent(
        await inState('attested', {}, false),
        'receipts_issued',
        { usage_receipt_id: receipt },
        'callback_pending',
      ),
      byEvent(await inState('quoted'), 'exception_raised', held, 'exception_open'),
      byEvent(await inState('exception_open'), 'replay_prepared', { action: 'replay' }, 'replay_ready'),
      byEvent(await inState('exception_open'), 'abandoned', {}, 'closed'),
      byEvent(await inState('replay_ready'), 'replayed', {}, 'callback_pending'),
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
    const priced = await inState('trusted')
    await rig.tasks.claim(priced)
    const over = { contract_ready: -hour, quoted: -hour, credit_pending: -hour }
    const supplied = await inState('credit_funded')
    await transaction(rig.db, (tx) => provideInput(tx, supplied, packetops.sandboxInput))
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
      byItself('quote_issued, credit_requested, credit_funded', priced, 'credit_funded'),
      byItself('enqueued', supplied, 'callback_pending'),
      byItself('started', await inState('queued'), 'callback_pending'),
      byItself('receipts_issued', await inState('attested'), 'callback_pending'),
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
      trials.push({
        name: step,
        taskId,
        key: `${runIdOf(taskId)} ${step}`,
        begin: () => wake(taskId),
        rests: 'callback_pending',
      })
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
      byEvent(supplied, 'evidence_supplied', { input_sha256 }, 'callback_pending'),
      byEvent(waived, 'evidence_waived', {}, 'callback_pending'),
    ]
  }

  async function rests(taskId: string, state: TaskState, name: string = state): Promise<void> {
    const read = () => rig.db.selectFrom('tasks').select('state').where('task_id', '=', taskId).executeTakeFirst()
    await expect
      .poll(async () => (await insist(read))?.state, { message: name, timeout: 60_000, interval: 200 })
      .toBe(state)
  }

  return { events, ownMoves, steps, evidence, rests }
}
