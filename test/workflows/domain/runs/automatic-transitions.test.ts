import { expect, test } from 'vitest'
import { callbackStates } from '#domain/callbacks/callback.ts'
import { ownMove, type TaskFacts } from '#domain/runs/automatic-transitions.ts'
import { type TaskState, taskStates } from '#domain/tasks/lifecycle.ts'
import { taskEventData } from '#domain/tasks/terms.ts'

const sha256 = 'a'.repeat(64)
const deliveryId = `cb_${'b'.repeat(64)}`
/** Nothing has happened to this task yet. */
const waiting: Omit<TaskFacts, 'state'> = {
  due: false,
  checks: [],
  agentTrusted: false,
  inputSha256: null,
  reviewDecision: null,
  onExchange: false,
  runContractSha256: sha256,
  runId: 'run_1',
  slotFree: false,
  callback: null,
  credit: null,
  stopped: undefined,
}
const moveOf = (state: TaskState, facts: Partial<TaskFacts> = {}) =>
  ownMove({ ...waiting, ...facts, state })
const callback = (state: NonNullable<TaskFacts['callback']>['state']) => ({
  callback: { deliveryId, state },
})

test('without new facts only five states advance', () => {
  const moves = taskStates.flatMap((state) => {
    const move = moveOf(state)
    return move === undefined ? [] : [[state, move.event, move.data]]
  })
  expect(moves).toEqual([
    ['created', 'preflight_passed', { checks: [] }],
    ['contract_accepted', 'trust_requested', {}],
    ['receipt_issued', 'closed', {}],
    ['callback_delivered', 'closed', {}],
    ['failed', 'closed', {}],
  ])
})

test('one failed check rejects the preflight', () => {
  const checks = [
    { check: 'rail', ok: true, detail: '' },
    { check: 'callback', ok: false, detail: 'x' },
  ]
  expect(moveOf('created', { checks })).toEqual({ event: 'preflight_rejected', data: { checks } })
})

test('a time limit ends exactly a contract, a quote and a credit', () => {
  const lapsed = taskStates.filter(
    (state) => moveOf(state, { due: true })?.event !== moveOf(state)?.event,
  )
  expect(lapsed).toEqual(['contract_ready', 'quoted', 'credit_pending'])
  expect(moveOf('contract_ready', { due: true })).toEqual({ event: 'contract_lapsed', data: {} })
  expect(moveOf('quoted', { due: true })).toEqual({ event: 'quote_lapsed', data: {} })
  expect(moveOf('credit_pending', { due: true })).toEqual({ event: 'credit_lapsed', data: {} })
})

test('trust and a free slot move exactly the state that waits for them', () => {
  for (const state of taskStates) {
    const before = moveOf(state)
    const trusted = { event: 'trust_granted', data: {} }
    const started = { event: 'started', data: { run_id: 'run_1' } }
    expect(moveOf(state, { agentTrusted: true })).toEqual(
      state === 'trust_pending' ? trusted : before,
    )
    expect(moveOf(state, { slotFree: true })).toEqual(state === 'queued' ? started : before)
  }
})

test('a funded task is queued once it has its input and its review', () => {
  expect(moveOf('credit_funded', { inputSha256: sha256 })).toBeUndefined()
  expect(moveOf('credit_funded', { reviewDecision: 'rv_1' })).toBeUndefined()
  const move = moveOf('credit_funded', { inputSha256: sha256, reviewDecision: 'rv_1' })
  expect(move).toEqual({
    event: 'enqueued',
    data: { review_decision: 'rv_1', input_sha256: sha256, run_contract_sha256: sha256 },
  })
  expect(taskEventData.enqueued.safeParse(move?.data).success).toBe(true)
})

test('a callback is scheduled, and the task follows its outcome', () => {
  expect(moveOf('receipt_issued', callback('pending'))).toEqual({
    event: 'callback_scheduled',
    data: { delivery_id: deliveryId },
  })
  const moves = callbackStates.map((state) => moveOf('callback_pending', callback(state)))
  const failed = (why: string) => ({
    event: 'exception_raised',
    data: { code: 'callback_failed', detail: `${deliveryId}: ${why}` },
  })
  expect(callbackStates).toEqual(['pending', 'retrying', 'delivered', 'gave_up', 'disabled'])
  expect(moves).toEqual([
    undefined,
    undefined,
    { event: 'callback_delivered', data: { delivery_id: deliveryId } },
    failed('all attempts failed'),
    failed('the receiver wants no callbacks (410)'),
  ])
})
