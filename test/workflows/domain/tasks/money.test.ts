import fc from 'fast-check'
import { expect } from 'vitest'
import {
  nextTaskState,
  resumeStateAfter,
  type TaskState,
  taskStates,
} from '#domain/tasks/lifecycle.ts'
import { type CreditFacts, moneyMove, moneyTrouble, type Stopped } from '#domain/tasks/money.ts'
import { verifies } from '../../../verifies.ts'

const at = '2026-11-21T10:00:00.000Z'
const receipt = `rc_${'a'.repeat(64)}`
const unpaid: CreditFacts = {
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
const paid: CreditFacts = { ...unpaid, quoteLives: false, settlementReceiptId: receipt }

/** The states that a task comes through by the moves of its money alone. */
function follow(from: TaskState, credit: CreditFacts, stopped?: Stopped): TaskState[] {
  const states: TaskState[] = []
  let [state, resume] = [from, stopped?.resumeState ?? null]
  for (let left = 20; left > 0; left -= 1) {
    const move = moneyMove(state, credit, stopped && { ...stopped, resumeState: resume })
    const next = move && nextTaskState(state, move.event, resume)
    if (move === undefined) return states
    if (next === undefined) throw new Error(`${move.event} is no move of ${state}`)
    resume = resumeStateAfter(state, move.event, resume)
    state = next
    states.push(state)
  }
  throw new Error('it never comes to rest')
}

const facts: fc.Arbitrary<CreditFacts> = fc.record({
  quoteId: fc.constant('qt_1'),
  quoteEndsAt: fc.constant(at),
  quoteLives: fc.boolean(),
  entitlementId: fc.constant('en_1'),
  challenge: fc.option(fc.constant({ id: 'ch_1', endsAt: at })),
  settlementReceiptId: fc.option(fc.constant(receipt)),
  fundingReceiptId: fc.option(fc.constant(receipt)),
  usageReceiptId: fc.option(fc.constant(receipt)),
  trouble: fc.option(fc.constant({ code: 'payment_reversed', detail: 'x' } as const)),
})

verifies(
  'task.money.bound',
  'money transitions stay in the table and end, whatever is stored',
  () => {
    const stops = fc.record({
      code: fc.constantFrom(
        'deadline_passed',
        'credit_mismatch',
        'payment_reversed',
        'caller_dispute' as const,
      ),
      resumeState: fc.constantFrom<TaskState>('trusted', 'quoted', 'credit_pending'),
    })
    fc.assert(
      fc.property(fc.constantFrom(...taskStates), facts, stops, (state, credit, stopped) => {
        const isStopped = state === 'exception_open' || state === 'replay_ready'
        const states = follow(state, credit, isStopped ? stopped : undefined)
        expect(states.filter((one) => one === 'credit_funded').length).toBeLessThanOrEqual(1)
        if (credit.settlementReceiptId === null) expect(states).not.toContain('credit_funded')
        if (state !== 'attested' || credit.usageReceiptId === null)
          expect(states).not.toContain('receipt_issued')
      }),
      { numRuns: 2_000 },
    )
  },
)

verifies(
  'task.money.late',
  'money takes a task out of its own lapse and out of nothing else',
  () => {
    const toFunded = ['credit_pending', 'credit_funded']
    expect(follow('trusted', paid)).toEqual(['quoted', ...toFunded])
    expect(follow('trusted', { ...unpaid, quoteLives: false })).toEqual([])
    const lapse = (resumeState: TaskState): Stopped => ({ code: 'deadline_passed', resumeState })
    expect(follow('exception_open', paid, lapse('quoted'))).toEqual([
      'replay_ready',
      'quoted',
      ...toFunded,
    ])
    expect(follow('exception_open', paid, lapse('trusted'))).toEqual([
      'replay_ready',
      'trusted',
      'quoted',
      ...toFunded,
    ])
    expect(follow('exception_open', unpaid, lapse('quoted'))).toEqual([])
    expect(follow('exception_open', paid, lapse('operating'))).toEqual([])
    expect(
      follow('exception_open', paid, { code: 'operator_hold', resumeState: 'quoted' }),
    ).toEqual([])
    expect(moneyMove('credit_pending', null, undefined)).toBeUndefined()
  },
)

verifies(
  'task.money.reversed',
  'a reversed payment reaches its task once charged, always before work',
  () => {
    const refunded = { referenceState: 'refunded', reason: 'event 1', reasonCode: null } as const
    const notified = { code: 'payment_reversed', detail: 'event 1' }
    expect(
      moneyTrouble('operating', { ...refunded, uncharged: true, reversedBefore: true }),
    ).toEqual(notified)
    expect(
      moneyTrouble('receipt_issued', { ...refunded, uncharged: false, reversedBefore: false }),
    ).toEqual(notified)
    expect(
      moneyTrouble('receipt_issued', { ...refunded, uncharged: false, reversedBefore: true }),
    ).toBeNull()
  },
)

verifies(
  'task.money.mismatch',
  'a wrong amount or missing credit is reported where it blocks',
  () => {
    const wrong = {
      referenceState: 'pending',
      reason: '1, not 2',
      reasonCode: 'amount_mismatch',
      reversedBefore: false,
    } as const
    expect(moneyTrouble('credit_pending', { ...wrong, uncharged: true })).toMatchObject({
      code: 'credit_mismatch',
    })
    expect(moneyTrouble('quoted', { ...wrong, uncharged: true })).toBeNull()
    const verified = {
      referenceState: 'verified',
      reason: null,
      reasonCode: null,
      reversedBefore: false,
    } as const
    expect(moneyTrouble('attested', { ...verified, uncharged: true })).toMatchObject({
      code: 'credit_mismatch',
    })
    expect(moneyTrouble('attested', { ...verified, uncharged: false })).toBeNull()
  },
)
