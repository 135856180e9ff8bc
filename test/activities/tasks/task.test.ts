import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { callbackDeliveryId } from '#domain/callbacks/callback.ts'
import { DomainError } from '#domain/core/errors.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { verifyLedger } from '#domain/tasks/ledger.ts'
import {
  nextTaskState,
  resumableStates,
  type TaskEvent,
  taskEvents,
  taskStates,
  taskTransitions,
} from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import { workOrderState } from '#domain/work-orders/work-order.ts'
import { storeInput } from '../../../activities/runs/stored-input.ts'
import {
  type AttemptEnd,
  beginAttempt,
  type DeliveryRow,
  endAttempt,
  findDelivery,
} from '../../../activities/store/callbacks/callback-deliveries.ts'
import { keptUntil, removeUnused, useInput } from '../../../activities/store/inputs/agent-inputs.ts'
import { findPilot } from '../../../activities/store/pilots/pilots.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import { findRun, insertLoopStep } from '../../../activities/store/runs/runs.ts'
import { listTaskExceptions } from '../../../activities/store/tasks/task-exceptions.ts'
import {
  findTask,
  listLedger,
  listLedgerWithData,
  storeDocument,
} from '../../../activities/store/tasks/tasks.ts'
import { listOrderedTasks } from '../../../activities/store/work-orders/work-orders.ts'
import type { TaskEventInput } from '../../../activities/tasks/task-event.ts'
import { recordTransition } from '../../../activities/tasks/transition.ts'
import { provideInput } from '../../../api/services/tasks/input.ts'
import { approved, creditFor, storeDecision } from '../../support/task-evidence.ts'
import { verifies } from '../../verifies.ts'
import { type EventResult, sendEvent, startTasks, stateLimits, trustedAgent } from './fixture.ts'

let tasks: Awaited<ReturnType<typeof startTasks>>
beforeAll(async () => {
  tasks = await startTasks()
})
afterAll(() => tasks?.stop())

const byHand = (text: string) => sql.raw(text).execute(tasks.db)
const refusalOf = async (made: Promise<unknown>) =>
  made.then(
    () => undefined,
    (error: unknown) => (error instanceof DomainError ? error.refusal.code : error),
  )
const snapshot = (result: EventResult) => {
  if (!result.ok) throw new DomainError(result.refusal)
  return result.snapshot
}
let count = 0
const send = (taskId: string, event: TaskEvent, data: object, limits = stateLimits) =>
  sendEvent(tasks.deps, {
    taskId,
    eventId: `e${count++}`,
    event,
    actor: `agent:${trustedAgent}`,
    data: { ...data } as TaskEventData[TaskEvent],
    limits,
  })

verifies(
  'task.state.guarded-in-sql',
  'the database has the moves of the state table and no others',
  async () => {
    const pure = Object.entries(taskTransitions).flatMap(([from, moves]) =>
      Object.entries(moves).flatMap(([event, to]) =>
        (to === 'resume_state' ? resumableStates : [to]).map(
          (state) => `${from} ${event} ${state}`,
        ),
      ),
    )
    const rows = await sql<{ move: string }>`
    select from_state || ' ' || event || ' ' || to_state as move from task_transitions`.execute(
      tasks.db,
    )
    expect(rows.rows.map(({ move }) => move).sort()).toEqual(pure.sort())
  },
)

verifies(
  'task.state.refused',
  'in every state, each event outside the table is refused unwritten',
  async () => {
    const data: Record<string, object> = {
      submit: {},
      quote_issued: { quote_id: 'qt_2' },
      credit_requested: { entitlement_id: 'en_2' },
      exception_raised: { code: 'operator_hold', detail: '' },
      replay_prepared: { action: 'replay' },
    }
    for (const state of taskStates) {
      const { task_id, resume_state, sequence } = await tasks.taskIn(state)
      for (const event of taskEvents.filter(
        (each) => nextTaskState(state, each, resume_state) === undefined,
      )) {
        const result = await send(task_id, event, data[event] ?? {})
        // Some of them carry data that is not given here; what is refused first is the same either way.
        expect(result.ok ? result.snapshot : result.refusal.code, `${state} ${event}`).toMatch(
          /wrong_state|invalid_request/,
        )
      }
      expect(await findTask(tasks.db, task_id)).toMatchObject({ state, sequence })
    }
  },
)

verifies(
  'task.ledger.chain',
  'a whole task leaves a valid ledger and an attestation of its head',
  async () => {
    const { task_id, head_hash, sequence } = await tasks.taskIn('closed')
    const ledger = await listLedger(tasks.db, task_id)
    expect(verifyLedger(task_id, ledger)).toEqual({ ok: true, head_hash })
    expect(ledger).toHaveLength(sequence)
    const [attestation] = await listReceipts(tasks.db, task_id)
    const claims = JSON.parse(
      Buffer.from(String(attestation?.jws.split('.')[1]), 'base64url').toString(),
    )
    expect(claims).toMatchObject({
      kind: 'attestation',
      ledger_head: head_hash,
      ledger_entries: sequence,
      outcome: 'completed',
    })
  },
)

verifies(
  'task.state.guarded-in-sql',
  'SQL moves no task, rewrites no entry and starts no second ledger',
  async () => {
    const { task_id, head_hash, sequence } = await tasks.taskIn('quoted')
    const one = `where task_id = '${task_id}'`
    const columns =
      'task_id, sequence, event_id, event, from_state, to_state, actor, data, data_sha256, at, prev_hash, hash'
    const wrong = [
      `update tasks set state = 'credit_pending' ${one}`,
      `update tasks set state = 'closed', sequence = sequence + 1 ${one}`,
      `update tasks set sequence = 1, state = 'created' ${one}`,
      `update tasks set resume_state = 'created' ${one}`,
      `update tasks set usage = 'operational' ${one}`,
      `update tasks set terms_sha256 = head_hash ${one}`,
      `update task_events set actor = 'operator:mallory' ${one}`,
      `delete from task_events ${one}`,
      `insert into task_events (${columns}) select ${columns} from (select (jsonb_populate_record(e, '{"sequence": ${sequence + 2}, "event_id": "x"}')).* from task_events e ${one} and sequence = ${sequence}) x`,
      `insert into task_events (${columns}) select ${columns} from (select (jsonb_populate_record(e, '{"sequence": ${sequence + 1}, "event_id": "x", "prev_hash": "${head_hash}"}')).* from task_events e ${one} and sequence = ${sequence}) x`,
      `insert into tasks select (jsonb_populate_record(t, '{"task_id": "task-${'e'.repeat(64)}"}')).* from tasks t ${one}`,
    ]
    for (const text of wrong)
      await expect(byHand(text), text).rejects.toMatchObject({ code: expect.stringMatching(/^23/) })
    expect(await findTask(tasks.db, task_id)).toMatchObject({ state: 'quoted', head_hash })
  },
)

verifies(
  'task.event.once',
  '20 parallel repeats of an event are one; its id serves no other',
  async () => {
    const { task_id } = await tasks.taskIn('trusted')
    const asked = {
      taskId: task_id,
      eventId: 'call_1',
      event: 'quote_issued',
      actor: `agent:${trustedAgent}`,
    } as const
    const results = await Promise.all(
      Array.from({ length: 20 }, () =>
        sendEvent(tasks.deps, { ...asked, data: { quote_id: 'qt_7' } }),
      ),
    )
    expect(new Set(results.map((result) => snapshot(result).sequence))).toEqual(new Set([7]))
    const other = await sendEvent(tasks.deps, { ...asked, data: { quote_id: 'qt_8' } })
    expect(other).toMatchObject({ ok: false, refusal: { code: 'idempotency_conflict' } })
    expect(await listLedger(tasks.db, task_id)).toHaveLength(7)
  },
)

verifies(
  'task.moves.own',
  'what follows by itself is recorded with the event that it follows from',
  async () => {
    const { taskId, submit } = await tasks.draft({ callback_url: null })
    expect(snapshot(await send(taskId, ...submit))).toMatchObject({
      state: 'preflight_checked',
      lastEvent: 'preflight_passed',
    })
    const terms_sha256 = await storeDocument(tasks.db, taskId, { scope: ['packet'] })
    await send(taskId, 'contract_prepared', { contract_id: 'ct_own', terms_sha256 })
    const accepted = snapshot(await send(taskId, 'contract_accepted', { terms_sha256 }))
    expect(accepted).toMatchObject({ state: 'trusted', sequence: 6, dueInMs: null })
    await creditFor(tasks.deps, taskId)
    const funded = await tasks.steps.advanceTask({ taskId, leftSlot: false })
    expect(funded).toMatchObject({ state: 'credit_funded', hasInput: false, isReviewed: true })
    const input_sha256 = await transaction(tasks.db, (tx) =>
      provideInput(tx, taskId, packetops.sandboxInput),
    )
    const advanced = await tasks.steps.advanceTask({ taskId, leftSlot: false })
    expect(advanced).toMatchObject({ state: 'operating', lastEvent: 'started' })
    const contract = await tasks.db
      .selectFrom('contracts')
      .selectAll()
      .where('contract_id', '=', 'ct_own')
      .executeTakeFirst()
    expect(contract).toMatchObject({ state: 'sealed', accepted_by: `agent:${trustedAgent}` })
    expect(contract?.run_contract).toMatchObject({
      input_sha256,
      terms_sha256,
      review_decision: 'sandbox_policy',
    })
    expect(await findRun(tasks.db, String(advanced?.runId))).toMatchObject({
      step: 'intake',
      attempt: 0,
      round: 0,
    })
    expect(verifyLedger(taskId, await listLedger(tasks.db, taskId))).toMatchObject({ ok: true })
  },
)

verifies(
  'task.preflight',
  'an unknown rail or an internal callback fails preflight and closes',
  async () => {
    for (const changed of [
      { rail: 'contractops' as const, usage: 'operational' as const },
      { callback_url: 'https://127.0.0.1/x' },
      { callback_url: 'https://service.example/x' },
      { callback_url: 'https://service.example/x', usage: 'operational' as const },
      { callback_url: 'http://agent.example/x', usage: 'operational' as const },
      { callback_url: 'https://agent.example/callback' },
      {
        callback_url: 'https://agent.example/callback',
        usage: 'operational' as const,
        agent_id: null,
      },
      { callback_url: 'https://hooks.receiver.example/other' },
      { callback_url: 'https://me@hooks.receiver.example/in' },
      { input_manifest: [{ name: 'huge', sha256: 'b'.repeat(64), bytes: 2 ** 30 }] },
    ]) {
      const { taskId, submit } = await tasks.draft(changed)
      const failed = snapshot(await send(taskId, ...submit))
      expect(failed, JSON.stringify(changed)).toMatchObject({ state: 'closed', sequence: 3 })
      const [, rejected] = await listLedger(tasks.db, taskId)
      expect(rejected?.event).toBe('preflight_rejected')
    }
  },
)

verifies(
  'task.preflight',
  'demo receivers take callbacks of any run, public hosts of paid ones',
  async () => {
    const demo = 'https://hooks.receiver.example/in?receiver=me&fail=2'
    for (const changed of [
      { callback_url: demo },
      { callback_url: demo, agent_id: null },
      { callback_url: 'https://agent.example/callback', usage: 'operational' as const },
    ]) {
      const { taskId, submit } = await tasks.draft(changed)
      expect(snapshot(await send(taskId, ...submit)).state, JSON.stringify(changed)).toBe(
        'preflight_checked',
      )
    }
  },
)

verifies(
  'task.callback',
  'a callback is stored with its transition; its delivery moves the task',
  async () => {
    const advance = (taskId: string) => tasks.steps.advanceTask({ taskId, leftSlot: false })
    const { task_id, agent_id, callback_url } = await tasks.taskIn('receipt_issued')
    const pending = await advance(task_id)
    const deliveryId = callbackDeliveryId(task_id, 'task_updated', 1)
    expect(pending).toMatchObject({
      state: 'callback_pending',
      lastEvent: 'callback_scheduled',
      deliveryId,
    })
    expect(await findDelivery(tasks.db, deliveryId)).toMatchObject({
      owner: agent_id,
      subject: task_id,
      url: callback_url,
      state: 'pending',
    })
    expect(await advance(task_id)).toEqual(pending)
    const attempt = async (id: string, end: AttemptEnd) => {
      const row = await findDelivery(tasks.db, id)
      const number = await beginAttempt(tasks.db, row as DeliveryRow, 'delivery', 'a'.repeat(64))
      await transaction(tasks.db, (tx) => endAttempt(tx, id, number, end))
    }
    await attempt(deliveryId, { outcome: 'gone', status: 410, failure: 'status_410' })
    const stopped = await advance(task_id)
    expect(stopped).toMatchObject({
      state: 'exception_open',
      exception: { code: 'callback_failed' },
      deliveryId: null,
    })
    await send(task_id, 'replay_prepared', { action: 'redeliver_callback' })
    const again = snapshot(await send(task_id, 'replayed', {}))
    const second = callbackDeliveryId(task_id, 'task_updated', 2)
    expect(again).toMatchObject({ state: 'callback_pending', deliveryId: second })
    await attempt(second, { outcome: 'taken', status: 200, failure: null })
    expect(await advance(task_id)).toMatchObject({ state: 'closed' })
    const events = (await listLedger(tasks.db, task_id)).map(({ event }) => event)
    expect(events.slice(-5)).toEqual([
      'exception_raised',
      'replay_prepared',
      'replayed',
      'callback_delivered',
      'closed',
    ])
  },
)

verifies(
  'task.trust',
  'an untrusted agent waits for a decision, a trusted one does not',
  async () => {
    const { taskId, submit } = await tasks.draft({ agent_id: 'agt_new' })
    await send(taskId, ...submit)
    const terms_sha256 = await storeDocument(tasks.db, taskId, { scope: [] })
    await send(taskId, 'contract_prepared', { contract_id: 'ct_trust', terms_sha256 })
    expect(snapshot(await send(taskId, 'contract_accepted', { terms_sha256 }))).toMatchObject({
      state: 'trust_pending',
    })
    expect(snapshot(await send(taskId, 'trust_granted', {}))).toMatchObject({
      state: 'trusted',
    })
  },
)

verifies('task.contract', 'only the terms of the contract can be accepted', async () => {
  const { task_id } = await tasks.taskIn('contract_ready')
  const other = await send(task_id, 'contract_accepted', { terms_sha256: 'f'.repeat(64) })
  expect(other).toMatchObject({ ok: false, refusal: { code: 'terms_mismatch' } })
})

verifies(
  'task.review',
  'an operational run needs a decision and its input, in code and SQL',
  async () => {
    const { task_id } = await tasks.taskIn('credit_funded', { usage: 'operational' })
    const advance = () => tasks.steps.advanceTask({ taskId: task_id, leftSlot: false })
    expect(await advance()).toMatchObject({ state: 'credit_funded', isReviewed: false })
    await transaction(tasks.db, (tx) => provideInput(tx, task_id, packetops.sandboxInput))
    expect(await advance()).toMatchObject({
      state: 'credit_funded',
      hasInput: true,
      isReviewed: false,
    })
    await expect(
      byHand(`update tasks set review_decision = 'sandbox_policy' where task_id = '${task_id}'`),
    ).rejects.toMatchObject({ code: '23514' })
    await approved(tasks.deps, task_id)
    expect(await advance()).toMatchObject({ state: 'operating' })
    await expect(
      byHand(`update tasks set review_decision = null where task_id = '${task_id}'`),
    ).rejects.toMatchObject({
      code: '23514',
    })
    const late = transaction(tasks.db, (tx) => provideInput(tx, task_id, { other: 1 }))
    expect(await refusalOf(late)).toBe('wrong_state')
  },
)

verifies(
  ['task.review', 'task.transport'],
  'SQL takes no evidence that is not a row of the very task',
  async () => {
    const operational = { usage: 'operational', callback_url: null } as const
    const { task_id } = await tasks.taskIn('credit_funded', operational)
    const other = await tasks.taskIn('credit_funded', operational)
    const decision = await approved(tasks.deps, other.task_id)
    const decide = (id: string) =>
      byHand(`update tasks set review_decision = '${id}' where task_id = '${task_id}'`)
    for (const forged of [`dec_${'f'.repeat(64)}`, 'rvd_forged', decision])
      await expect(decide(forged), forged).rejects.toMatchObject({ code: '23514' })
    const input_sha256 = await transaction(tasks.db, (tx) =>
      provideInput(tx, task_id, packetops.sandboxInput),
    )
    for (const review_decision of [`dec_${'f'.repeat(64)}`, decision, 'sandbox_policy']) {
      const data = { review_decision, input_sha256, run_contract_sha256: 'a'.repeat(64) }
      await expect(tasks.record(task_id, ['enqueued', data])).rejects.toMatchObject({
        code: expect.stringMatching(/^23/),
      })
    }
    const its = await approved(tasks.deps, task_id)
    await expect(decide(decision)).rejects.toMatchObject({ code: '23514' })
    expect(await findTask(tasks.db, task_id)).toMatchObject({
      state: 'credit_funded',
      review_decision: its,
    })

    const unpaid = await tasks.taskIn('credit_pending')
    const paid = await tasks.taskIn('trusted')
    const { settlement_receipt_id: foreign } = await creditFor(tasks.deps, paid.task_id)
    const returned = await tasks.taskIn('credit_funded')
    const [own] = (await listLedgerWithData(tasks.db, returned.task_id)).slice(-1)
    for (const receipt of [
      `rc_${'f'.repeat(64)}`,
      foreign,
      String(own?.data['settlement_receipt_id']),
    ])
      await expect(
        tasks.record(unpaid.task_id, ['credit_funded', { settlement_receipt_id: receipt }]),
        receipt,
      ).rejects.toMatchObject({ code: expect.stringMatching(/^23/) })
    expect(await findTask(tasks.db, unpaid.task_id)).toMatchObject({ state: 'credit_pending' })
  },
)

verifies(
  'task.input.announced',
  'an input that the preflight did not announce is refused and not stored',
  async () => {
    const { task_id } = await tasks.taskIn('trusted', {
      input_manifest: [{ name: 'in', sha256: 'c'.repeat(64), bytes: 9 }],
    })
    const provided = transaction(tasks.db, (tx) => provideInput(tx, task_id, { other: 2 }))
    expect(await refusalOf(provided)).toBe('evidence_mismatch')
    expect(await findTask(tasks.db, task_id)).toMatchObject({ input_sha256: null })
  },
)

verifies(
  'task.lapse',
  'contract, quote and credit lapse on time by the database’s clock',
  async () => {
    const soon = { contract_ready: 1_500, quoted: 1_500, credit_pending: 1_500 }
    for (const [from, state, event] of [
      ['preflight_checked', 'contract_ready', 'contract_lapsed'],
      ['trusted', 'quoted', 'quote_lapsed'],
      ['quoted', 'credit_pending', 'credit_lapsed'],
    ] as const) {
      const { task_id } = await tasks.taskIn(from)
      const terms_sha256 = await storeDocument(tasks.db, task_id, { terms: from })
      const data = {
        contract_ready: { contract_id: `ct_${task_id.slice(5, 20)}x`, terms_sha256 },
        quoted: { quote_id: 'qt_1' },
        credit_pending: { entitlement_id: 'en_1' },
      }
      const events = {
        contract_ready: 'contract_prepared',
        quoted: 'quote_issued',
        credit_pending: 'credit_requested',
      } as const
      const waiting = snapshot(await send(task_id, events[state], data[state], soon))
      expect(waiting).toMatchObject({ state })
      expect(waiting.dueInMs).toBeGreaterThan(0)
      await new Promise((resolve) => setTimeout(resolve, waiting.dueInMs ?? 0))
      const commands = {
        contract_ready: ['contract_accepted', { terms_sha256 }, 'expired'],
        quoted: ['credit_requested', data.credit_pending, 'quote_expired'],
      } as const
      if (state !== 'credit_pending') {
        const [late, its, code] = commands[state]
        expect(await send(task_id, late, its), state).toMatchObject({
          ok: false,
          refusal: { code },
        })
      }
      const lapsed = await tasks.steps.advanceTask({
        taskId: task_id,
        leftSlot: false,
      })
      expect((await listLedger(tasks.db, task_id)).map((entry) => entry.event)).toContain(event)
      if (state === 'contract_ready') expect(lapsed).toMatchObject({ state: 'closed' })
      else
        expect(lapsed).toMatchObject({
          state: 'exception_open',
          resumeState: from,
          exception: { code: 'deadline_passed', recoveries: ['replay', 'abandon'] },
        })
    }
  },
)

verifies(
  'task.lapse',
  'money that comes after the time and before the lapse still counts',
  async () => {
    const { task_id } = await tasks.taskIn('trusted')
    const { quote_id, entitlement_id } = await creditFor(tasks.deps, task_id)
    await tasks.record(task_id, ['quote_issued', { quote_id }])
    await tasks.record(task_id, ['credit_requested', { entitlement_id }], 'late', {
      credit_pending: 1,
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    const funded = await tasks.steps.advanceTask({ taskId: task_id, leftSlot: false })
    expect(funded).toMatchObject({ state: 'credit_funded' })
  },
)

verifies('task.lapse', 'a challenge never outlives its quote', async () => {
  const { task_id } = await tasks.taskIn('trusted')
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  await send(task_id, 'quote_issued', { quote_id: 'qt_1', expires_at })
  const pending = snapshot(await send(task_id, 'credit_requested', { entitlement_id: 'en_1' }))
  expect(pending.dueInMs).toBeLessThanOrEqual(60_000)
})

verifies(
  'task.exception.resume',
  'exceptions from 17 states resume by replay, with signed receipts',
  async () => {
    for (const state of resumableStates) {
      const { task_id } = await tasks.taskIn(state, { usage: 'operational' })
      await tasks.record(task_id, [
        'exception_raised',
        { code: 'caller_dispute', detail: 'a dispute' },
      ])
      const exception = (await listTaskExceptions(tasks.db, task_id)).at(-1)
      expect(exception).toMatchObject({
        state: 'open',
        resume_state: state,
        code: 'caller_dispute',
      })
      const before = [
        'created',
        'preflight_checked',
        'contract_ready',
        'contract_accepted',
        'trust_pending',
        'trusted',
        'quoted',
      ]
      const moved = state === 'credit_pending' ? 'unknown' : 'yes'
      expect(exception?.money_moved, state).toBe(before.includes(state) ? 'no' : moved)
      const wrong = tasks.record(task_id, ['replay_prepared', { action: 'redeliver_callback' }])
      expect(await refusalOf(wrong)).toBe('recovery_not_allowed')
      await tasks.record(task_id, ['replay_prepared', { action: 'replay' }])
      const replayed = await tasks.record(task_id, ['replayed', {}])
      expect(replayed, state).toMatchObject({ state, resume_state: null })
      const kinds = (await listReceipts(tasks.db, String(exception?.exception_id))).map(
        ({ kind }) => kind,
      )
      expect(kinds).toEqual(['exception', 'recovery'])
      expect(verifyLedger(task_id, await listLedger(tasks.db, task_id))).toMatchObject({ ok: true })
    }
  },
)

verifies(
  'views.money-moved',
  'an exception of a synthetic task says that no money moved',
  async () => {
    for (const state of resumableStates) {
      const { task_id } = await tasks.taskIn(state)
      await tasks.record(task_id, [
        'exception_raised',
        { code: 'caller_dispute', detail: 'a dispute' },
      ])
      const exception = (await listTaskExceptions(tasks.db, task_id)).at(-1)
      expect(exception?.money_moved, state).toBe('no')
    }
  },
)

verifies(
  'task.exception.resume',
  'an abandoned task fails, is closed by itself and attested as failed',
  async () => {
    const { task_id } = await tasks.taskIn('exception_open')
    const abandoned = snapshot(await send(task_id, 'abandoned', {}))
    expect(abandoned).toMatchObject({ state: 'closed', lastEvent: 'closed', exception: null })
    const [attestation] = await listReceipts(tasks.db, task_id)
    expect(Buffer.from(String(attestation?.jws.split('.')[1]), 'base64url').toString()).toContain(
      '"outcome":"failed"',
    )
    const run = await tasks.db
      .selectFrom('runs')
      .select(['step', 'finished_at'])
      .where('task_id', '=', task_id)
      .executeTakeFirst()
    expect(run ?? { step: null, finished_at: null }).toEqual({ step: null, finished_at: null })
  },
)

/** The outcome of a given up task by its attestation, and the states of an order and a pilot of it. */
async function givenUp(state: 'attested' | 'receipt_issued') {
  const { task_id } = await tasks.taskIn(state)
  const orderId = `wo_${task_id.slice(5)}`
  const pilotId = `pl_${task_id.slice(5)}`
  await transaction(tasks.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`insert into work_order_tasks (work_order_id, step, task_id) values (${orderId}, 1, ${task_id})`.execute(
      tx,
    )
    await sql`insert into pilots (pilot_id, source, rail, tier, total_usd, client, objective, status_token_sha256, state)
      values (${pilotId}, 'intake', 'packetops', 'entry', 0, '{}', 'o', ${task_id.slice(5)}, 'delivered')`.execute(
      tx,
    )
    await sql`insert into pilot_runs (task_id, pilot_id, audit_event_id, asked_sha256, customer_account)
      values (${task_id}, ${pilotId}, ${task_id}, ${task_id.slice(5)}, 'n')`.execute(tx)
    await sql`update runs set step = null, finished_at = now() where task_id = ${task_id}`.execute(
      tx,
    )
  })
  const order = async () => {
    const [task] = await listOrderedTasks(tasks.db, orderId)
    const { state: at, run_id, attested } = task!
    return workOrderState('approve', [{ state: at, begun: run_id !== null, attested }])
  }
  expect(await order()).toBe('delivered')
  await tasks.record(task_id, ['exception_raised', { code: 'operator_hold', detail: 'held' }])
  snapshot(await send(task_id, 'abandoned', {}))
  const attestation = (await listReceipts(tasks.db, task_id)).at(-1)
  const payload = Buffer.from(String(attestation?.jws.split('.')[1]), 'base64url').toString()
  const [, outcome] = /"outcome":"(\w+)"/.exec(payload) ?? []
  const pilot = await findPilot(tasks.db, { pilot_id: pilotId })
  return { outcome, order: await order(), pilot: pilot?.state }
}

verifies('production.given-up', 'a run completes by its receipts, with its order', async () => {
  const failed = { outcome: 'failed', order: 'failed', pilot: 'closed' }
  expect(await givenUp('attested')).toEqual(failed)
  const completed = { outcome: 'completed', order: 'completed', pilot: 'delivered' }
  expect(await givenUp('receipt_issued')).toEqual(completed)
})

verifies(
  'input.kept',
  'a task lets go of its uploaded inputs when it closes, and not before',
  async () => {
    const { task_id } = await tasks.taskIn('exception_open')
    const bytes = Buffer.from('a,b\n1,2\n')
    const name = { owner: trustedAgent, sha256: createHash('sha256').update(bytes).digest('hex') }
    async function* stream() {
      yield bytes
    }
    const bounds = {
      bytesMax: 100,
      owner: { bytesMax: 100, uploadsMax: 1, sandbox: false, allBytesMax: 2 ** 40 },
    }
    expect(await storeInput(tasks.db, name, 'text/csv', stream(), bounds)).toMatchObject({
      ok: true,
    })
    await useInput(tasks.db, name, task_id)
    const kept = { keepMs: 1_000, sandboxKeepMs: 1_000 }
    const sweep = () =>
      removeUnused(tasks.db, { keepMs: 0, sandboxKeepMs: 0, abandonedMs: 0, most: 10 })
    expect([await sweep(), await keptUntil(tasks.db, name, kept)]).toEqual([0, undefined])
    snapshot(await send(task_id, 'abandoned', {}))
    expect(await keptUntil(tasks.db, name, kept)).toBeInstanceOf(Date)
    expect(await sweep()).toBe(1)
  },
)

verifies(
  'task.slots',
  'parallel starts respect the run limit; a run that ends names the next',
  async () => {
    const few = await startTasks({ runsAtOnce: { agent: 2, rail: 3 } })
    try {
      const queued = await Promise.all([1, 2, 3].map(() => few.taskIn('queued')))
      const other = await few.taskIn('queued', { agent_id: 'agt_other' })
      const advance = ({ task_id }: { task_id: string }) =>
        few.steps.advanceTask({ taskId: task_id, leftSlot: false })
      const states = (await Promise.all(queued.map(advance))).map((each) => each?.state)
      expect(states.sort()).toEqual(['operating', 'operating', 'queued'])
      expect(await advance(other)).toMatchObject({ state: 'operating' })
      const rows = await few.db
        .selectFrom('tasks')
        .selectAll()
        .where('agent_id', '=', trustedAgent)
        .execute()
      const working = rows.find(({ state }) => state === 'operating')
      const waiting = rows.find(({ state }) => state === 'queued')
      const left = await sendEvent(few.deps, {
        taskId: String(working?.task_id),
        eventId: 'x',
        event: 'exception_raised',
        actor: 'agent:1',
        data: { code: 'operator_hold', detail: '' },
      })
      expect(left).toMatchObject({ ok: true, snapshot: { wakes: [waiting?.task_id] } })
      expect(await advance({ task_id: String(waiting?.task_id) })).toMatchObject({
        state: 'operating',
      })
    } finally {
      await few.stop()
    }
  },
)

verifies('task.slots', 'an ended run names as many agents as there are free places', async () => {
  const few = await startTasks({ runsAtOnce: { agent: 2, rail: 3 } })
  try {
    const advance = (taskId: string) => few.steps.advanceTask({ taskId, leftSlot: false })
    const queue = async (agent_id: string, count: number) => {
      const ids: string[] = []
      for (let left = count; left > 0; left -= 1) {
        const { task_id } = await few.taskIn('queued', { agent_id })
        ids.push(task_id)
        await advance(task_id)
      }
      return ids
    }
    const leave = async (taskId = '') => {
      const by = { eventId: 'x', event: 'exception_raised', actor: 'agent:1' } as const
      const data = { code: 'operator_hold', detail: '' } as const
      const left = await sendEvent(few.deps, { taskId, ...by, data })
      return left.ok && left.snapshot.wakes
    }
    const [first, second, ...waiting] = await queue(trustedAgent, 5)
    const [third] = await queue('agt_other', 1)
    const further = await queue('agt_third', 2)
    expect(await leave(first)).toEqual(waiting.slice(0, 1))
    expect(await leave(second)).toEqual(waiting.slice(0, 2))
    expect(await leave(third)).toEqual([...waiting.slice(0, 2), ...further.slice(0, 1)])
  } finally {
    await few.stop()
  }
})

verifies('task.own-evidence', 'a ledger names the evidence of its own task alone', async () => {
  const [operating, ready, attested, other] = [
    await tasks.taskIn('operating'),
    await tasks.taskIn('result_ready'),
    await tasks.taskIn('attested'),
    await tasks.taskIn('receipt_issued'),
  ]
  const { rows } = await sql<Record<'package' | 'hash' | 'attestation' | 'usage', string>>`
    select p.return_package_id as package, p.result_sha256 as hash, c.usage_receipt_id as usage, r.receipt_id as attestation
    from return_packages p join task_credits c on c.task_id = ${other.task_id} and c.state = 'used' join receipts r on r.subject = p.run_id
    where p.run_id = ${other.run_id}`.execute(tasks.db)
  const named = rows[0] as (typeof rows)[0]
  const result_sha256 = named.hash
  const move = (
    { task_id: taskId }: { task_id: string },
    event: TaskEvent,
    data: object,
    actor = 'service',
  ) =>
    transaction(tasks.db, (tx) =>
      recordTransition(tasks.deps, tx, {
        taskId,
        eventId: 'x',
        event,
        actor,
        data,
      } as TaskEventInput),
    )
  const own = 'is not that of its task'
  const missing = `rc_${'c'.repeat(64)}`
  for (const [task, event, data, refusal] of [
    [operating, 'result_produced', { return_package_id: named.package, result_sha256 }, own],
    [
      operating,
      'result_produced',
      { return_package_id: `rp_${'c'.repeat(64)}`, result_sha256 },
      /./,
    ],
    [ready, 'result_attested', { receipt_id: named.attestation, proof_hash: result_sha256 }, own],
    [ready, 'result_attested', { receipt_id: missing, proof_hash: result_sha256 }, /./],
    [attested, 'receipts_issued', { usage_receipt_id: named.usage }, own],
    [attested, 'receipts_issued', { usage_receipt_id: missing }, /./],
  ] as const)
    await expect(move(task, event, data)).rejects.toThrow(refusal)
  const hold = { code: 'operator_hold', detail: '' }
  const proposed = { ...hold, proposed_input_sha256: operating.input_sha256 }
  for (const data of [hold, proposed])
    await expect(move(operating, 'exception_raised', data, 'operator:alice')).rejects.toThrow(
      'an operator is named for an own act',
    )
})

verifies(
  'run.loop.own-decision',
  'a step names who decided it by a stored decision alone',
  async () => {
    const usage = 'operational'
    const [run, other] = [
      await tasks.taskIn('operating', { usage }),
      await tasks.taskIn('operating', { usage }),
    ]
    const decisionId = `dec_${'7'.repeat(64)}`
    const insert = (
      decidedBy: string,
      { task = run, decision = 'approve', kind = 'loop_step' } = {},
    ) =>
      transaction(tasks.db, async (tx) => {
        await insertLoopStep(
          tx,
          { runId: String(task.run_id), attempt: 0, round: 0, step: 'intake' },
          { verdict: 'done', output: { decision, decision_id: decisionId }, decidedBy },
        )
        await storeDecision(tasks.deps, tx, {
          decisionId,
          subjectId: String(run.run_id),
          subjectKind: kind as 'loop_step',
        })
      })
    const refused = 'an operator is named for an own decision'
    await expect(insert('operator:bob')).rejects.toThrow(refused)
    await expect(insert('sandbox_policy')).rejects.toThrow(refused)
    await expect(insert('operator:alice', { task: other })).rejects.toThrow(refused)
    await expect(insert('operator:alice', { decision: 'reject' })).rejects.toThrow(refused)
    await expect(insert('operator:alice', { kind: 'task' })).rejects.toThrow(refused)
    await insert('operator:alice')
  },
)

verifies(
  'run.loop.guarded-in-sql',
  'a loop step is stored once, after its predecessor, and never changes',
  async () => {
    const { task_id, run_id } = await tasks.taskIn('operating')
    const runId = String(run_id)
    const insert = (step: 'intake' | 'planner' | 'worker', round = 0) =>
      insertLoopStep(
        tasks.db,
        { runId, attempt: 0, round, step },
        { verdict: 'done', output: {}, decidedBy: null },
      )
    await expect(insert('planner')).rejects.toMatchObject({ code: '23514' })
    await insert('intake')
    await expect(insert('intake')).rejects.toMatchObject({ code: '23505' })
    await expect(insert('worker', 1)).rejects.toMatchObject({ code: '23514' })
    await insert('planner')
    await expect(
      byHand(`update loop_steps set verdict = 'refused' where run_id = '${runId}'`),
    ).rejects.toMatchObject({
      code: '23514',
    })
    expect(await findTask(tasks.db, task_id)).toMatchObject({ state: 'operating' })
  },
)
