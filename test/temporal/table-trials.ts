import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type PacketInput, packetops } from '#domain/rails/packetops/index.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import type { TaskEvent, TaskState } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData, TaskTerms } from '#domain/tasks/terms.ts'
import {
  beginAttempt,
  type DeliveryRow,
  endAttempt,
  latestDelivery,
} from '../../activities/store/callbacks/callback-deliveries.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { liveContract } from '../../activities/store/tasks/contracts.ts'
import { storeDocument } from '../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../activities/tasks/facts.ts'
import { provideInput } from '../../api/services/tasks/input.ts'
import { hour, stateLimits } from '../activities/tasks/fixture.ts'
import type { startTaskWorkflows } from './task-fixture.ts'

/** One move of a task: the activity that makes it, who sets it off, and where the task comes to rest. */
export type Trial = {
  name: string
  taskId: string
  key: string
  begin: () => Promise<unknown>
  rests: TaskState
}

/** The step of its workflow that makes the due moves of a task, after an event is stored or by itself. */
export const advances = (taskId: string): string => `${taskId} advances`

/** Repeats a call as an agent does who does not know what became of it. */
async function insist<Result>(
  call: () => Promise<Result>,
  until = Date.now() + 90_000,
): Promise<Result> {
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
  ...([
    'credit_funded',
    'queued',
    'operating',
    'evidence_partial',
    'result_ready',
    'attested',
  ] as const),
  ...(['exception_open', 'replay_ready', 'failed'] as const),
]

/** The transitions of the table, each of its own task. `started` records the tasks whose transition started. */
export function openTrials(
  fixture: Awaited<ReturnType<typeof startTaskWorkflows>>,
  notified: string[],
) {
  /** A transition that an event makes, stored before its workflow is notified; its sender repeats it with the same event id. */
  function byEvent<Event extends TaskEvent>(
    taskId: string,
    event: Event,
    data: TaskEventData[Event],
    rests: TaskState,
  ): Trial {
    const eventId = randomBytes(8).toString('hex')
    const begin = () => insist(() => fixture.send(taskId, event, data, eventId))
    return { name: event, taskId, key: advances(taskId), begin, rests }
  }

  /** A move that the service makes by itself when the task is looked at. */
  const byItself = (name: string, taskId: string, rests: TaskState): Trial => {
    return {
      name,
      taskId,
      key: advances(taskId),
      begin: () => insist(() => fixture.gateway.wake(taskId)),
      rests,
    }
  }

  async function inState(
    state: TaskState,
    changed: Partial<TaskTerms> = {},
    paid = funded.includes(state),
  ): Promise<string> {
    const { task_id } = await fixture.tasks.taskIn(state, changed, { paid })
    notified.push(task_id)
    return task_id
  }

  /** Every move of the table that an agent or an operator makes. */
  async function events(): Promise<Trial[]> {
    const { taskId, submit } = await fixture.tasks.draft({ callback_url: null })
    const begin = () => {
      notified.push(taskId)
      return insist(() => fixture.send(taskId, ...submit, 'submit'))
    }
    const unknown = { agent_id: `agt_${'f'.repeat(64)}` }
    const prepared = await inState('preflight_checked')
    const terms_sha256 = await storeDocument(fixture.db, prepared, { scope: [] })
    const ready = await inState('contract_ready')
    const accepted = (await liveContract(fixture.db, ready))?.terms_sha256 ?? ''
    const held = { code: 'operator_hold', detail: 'held' } as const
    return [
      { name: 'submit', taskId, key: advances(taskId), begin, rests: 'preflight_checked' },
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
      byEvent(
        await inState('quoted'),
        'credit_requested',
        { entitlement_id: 'en_1' },
        'credit_pending',
      ),
      byEvent(await inState('credit_funded'), 'review_rejected', {}, 'closed'),
      byEvent(await inState('quoted'), 'exception_raised', held, 'exception_open'),
      byEvent(
        await inState('exception_open'),
        'replay_prepared',
        { action: 'replay' },
        'replay_ready',
      ),
      byEvent(await inState('exception_open'), 'abandoned', {}, 'closed'),
      byEvent(await inState('replay_ready'), 'replayed', {}, 'callback_pending'),
      byEvent(await inState('replay_ready'), 'abandoned', {}, 'closed'),
    ]
  }

  /** A task whose receiver has taken the callback. */
  async function delivered(): Promise<string> {
    const taskId = await inState('callback_pending')
    await transaction(fixture.db, async (tx) => {
      const delivery = (await latestDelivery(tx, taskId, 'task_updated')) as DeliveryRow
      const attempt = await beginAttempt(tx, delivery, 'delivery', 'a'.repeat(64))
      await endAttempt(tx, delivery.delivery_id, attempt, {
        outcome: 'taken',
        status: 200,
        failure: null,
      })
    })
    return taskId
  }

  /** Every move that the service makes by itself, lapses among them. */
  async function ownMoves(): Promise<Trial[]> {
    const priced = await inState('trusted')
    await fixture.tasks.claim(priced)
    const over = { contract_ready: -hour, quoted: -hour, credit_pending: -hour }
    const supplied = await inState('credit_funded')
    await transaction(fixture.db, (tx) => provideInput(tx, supplied, packetops.sandboxInput))
    const late = async (state: TaskState, ...move: Parameters<typeof fixture.tasks.record>[1]) => {
      const taskId = await inState(state)
      await fixture.tasks.record(taskId, move, undefined, { ...stateLimits, ...over })
      return taskId
    }
    const contract = await inState('preflight_checked')
    const terms_sha256 = await storeDocument(fixture.db, contract, { scope: [] })
    const prepared = { contract_id: `ct_${contract.slice(5)}`, terms_sha256 }
    await fixture.tasks.record(contract, ['contract_prepared', prepared], undefined, over)
    return [
      byItself(
        'preflight_passed',
        await inState('created', { callback_url: null }),
        'preflight_checked',
      ),
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
      byItself(
        'quote_lapsed',
        await late('trusted', 'quote_issued', { quote_id: 'qt_1' }),
        'exception_open',
      ),
      byItself(
        'credit_lapsed',
        await late('quoted', 'credit_requested', { entitlement_id: 'en_1' }),
        'exception_open',
      ),
    ]
  }

  /** Each step of the loop in a run of its own. */
  async function steps(): Promise<Trial[]> {
    const wake = (taskId: string) => insist(() => fixture.gateway.wake(taskId))
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
    trials.push({
      name: 'evidence_missing',
      taskId: gaps,
      key,
      begin: () => wake(gaps),
      rests: 'evidence_partial',
    })
    return trials
  }

  /** What an agent or an operator does about gaps; the run that found them is a real one. */
  async function evidence(): Promise<Trial[]> {
    const [supplied, waived] = [
      await inState('operating', { on_gaps: 'ask' }),
      await inState('operating', { on_gaps: 'ask' }),
    ]
    for (const taskId of [supplied, waived]) await insist(() => fixture.gateway.wake(taskId))
    for (const taskId of [supplied, waived]) await rests(taskId, 'evidence_partial')
    const { items, as_of, title } = packetops.sandboxInput as PacketInput
    const read = items.filter(({ content }) => content !== undefined)
    const required_sections = [...new Set(read.map(({ section }) => section))]
    const whole = { title, as_of, required_sections, items: read }
    const input_sha256 = await storeDocument(fixture.db, supplied, whole)
    return [
      byEvent(supplied, 'evidence_supplied', { input_sha256 }, 'callback_pending'),
      byEvent(waived, 'evidence_waived', {}, 'callback_pending'),
    ]
  }

  async function rests(taskId: string, state: TaskState, name: string = state): Promise<void> {
    const read = () =>
      fixture.db
        .selectFrom('tasks')
        .select('state')
        .where('task_id', '=', taskId)
        .executeTakeFirst()
    await expect
      .poll(async () => (await insist(read))?.state, {
        message: name,
        timeout: 60_000,
        interval: 200,
      })
      .toBe(state)
  }

  return { events, ownMoves, steps, evidence, rests }
}
