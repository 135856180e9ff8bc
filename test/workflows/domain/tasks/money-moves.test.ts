import { expect, test } from 'vitest'
import { referenceStates } from '#domain/payments/payment-reference.ts'
import { type TaskState, taskStates } from '#domain/tasks/lifecycle.ts'
import { type CreditFacts, moneyMove, moneyTrouble } from '#domain/tasks/money.ts'

const at = '2026-11-21T10:00:00.000Z'
const open: CreditFacts = {
  quoteId: 'qt_1',
  quoteEndsAt: at,
  quoteLives: true,
  entitlementId: 'en_1',
  challenge: null,
  settlementReceiptId: null,
  fundingReceiptId: null,
  usageReceiptId: null,
  trouble: null,
}
const challenge = { id: 'ch_1', endsAt: '2026-11-21T11:00:00.000Z' }
const paid: CreditFacts = { ...open, quoteLives: false, settlementReceiptId: 'rc_paid' }
const trouble = { code: 'payment_reversed', detail: 'taken back' } as const

test('each stage of the money moves the task with its ids', () => {
  expect(moneyMove('trusted', open, undefined)).toEqual({
    event: 'quote_issued',
    data: { quote_id: 'qt_1', expires_at: at },
  })
  expect(moneyMove('quoted', open, undefined)).toBeUndefined()
  expect(moneyMove('quoted', { ...open, challenge }, undefined)).toEqual({
    event: 'credit_requested',
    data: { entitlement_id: 'en_1', challenge_id: 'ch_1', expires_at: challenge.endsAt },
  })
  expect(moneyMove('quoted', paid, undefined)).toEqual({
    event: 'credit_requested',
    data: { entitlement_id: 'en_1' },
  })
  expect(moneyMove('credit_pending', open, undefined)).toBeUndefined()
  expect(moneyMove('credit_pending', paid, undefined)).toEqual({
    event: 'credit_funded',
    data: { settlement_receipt_id: 'rc_paid' },
  })
  expect(moneyMove('attested', paid, undefined)).toBeUndefined()
  expect(moneyMove('attested', { ...paid, usageReceiptId: 'rc_used' }, undefined)).toEqual({
    event: 'receipts_issued',
    data: { usage_receipt_id: 'rc_used' },
  })
  const used = { ...open, fundingReceiptId: 'rc_paid', usageReceiptId: 'rc_used' }
  expect(moneyMove('attested', used, undefined)).toEqual({
    event: 'receipts_issued',
    data: { usage_receipt_id: 'rc_used', settlement_receipt_id: 'rc_paid' },
  })
})

test('trouble stops a task from the payment to the last callback only', () => {
  const stopped = taskStates.filter(
    (state) => moneyMove(state, { ...paid, trouble }, undefined)?.event === 'exception_raised',
  )
  expect(stopped).toEqual(
    taskStates.slice(taskStates.indexOf('credit_pending'), taskStates.indexOf('exception_open')),
  )
  expect(moneyMove('operating', { ...paid, trouble }, undefined)).toEqual({
    event: 'exception_raised',
    data: trouble,
  })
  expect(moneyMove('credit_pending', { ...paid, trouble }, undefined)).toEqual({
    event: 'exception_raised',
    data: trouble,
  })
})

test('money frees exactly the exceptions that waited for money', () => {
  const freed = (['deadline_passed', 'credit_mismatch', 'operator_hold'] as const).flatMap((code) =>
    taskStates
      .filter((resumeState) => moneyMove('exception_open', paid, { code, resumeState }))
      .map((state) => [code, state]),
  )
  expect(freed).toEqual([
    ['deadline_passed', 'trusted'],
    ['deadline_passed', 'quoted'],
    ['credit_mismatch', 'credit_pending'],
  ])
  const lapsed = { code: 'deadline_passed', resumeState: 'quoted' } as const
  expect(moneyMove('exception_open', paid, lapsed)).toEqual({
    event: 'replay_prepared',
    data: { action: 'replay' },
  })
  expect(moneyMove('replay_ready', paid, lapsed)).toEqual({ event: 'replayed', data: {} })
  for (const state of ['exception_open', 'replay_ready'] as const) {
    expect(moneyMove(state, paid, undefined)).toBeUndefined()
    expect(moneyMove(state, open, lapsed)).toBeUndefined()
    expect(moneyMove(state, { ...paid, trouble }, lapsed)).toBeUndefined()
  }
})

const sound = {
  uncharged: false,
  referenceState: null,
  reason: null,
  reasonCode: null,
  reversedBefore: false,
} as const

test('only a refunded or disputed payment is a reversed one', () => {
  const reversed = referenceStates.filter(
    (referenceState) => moneyTrouble('operating', { ...sound, referenceState }) !== null,
  )
  expect(reversed).toEqual(['disputed', 'refunded'])
  expect(moneyTrouble('operating', { ...sound, referenceState: 'refunded' })).toEqual({
    code: 'payment_reversed',
    detail: 'the payment was taken back',
  })
})

test('a wrong amount stops a task only while it waits for the payment', () => {
  const reason = '1 cent, not 2'
  const wrong = {
    ...sound,
    referenceState: 'pending',
    reason,
    reasonCode: 'amount_mismatch',
  } as const
  const found = (state: TaskState, change = {}) => moneyTrouble(state, { ...wrong, ...change })
  expect(found('credit_pending')).toEqual({ code: 'credit_mismatch', detail: reason })
  expect(taskStates.filter((state) => found(state) !== null)).toEqual(['credit_pending'])
  expect(found('credit_pending', { reasonCode: null })).toBeNull()
  expect(found('credit_pending', { referenceState: 'verified' })).toBeNull()
})

test('credit that is gone is trouble where a result is to be charged', () => {
  const states = taskStates.filter(
    (state) => moneyTrouble(state, { ...sound, uncharged: true }) !== null,
  )
  expect(states).toEqual(['attested'])
  expect(moneyTrouble('attested', { ...sound, uncharged: true })).toEqual({
    code: 'credit_mismatch',
    detail: 'the credit that was set aside is not there',
  })
})
