import fc from 'fast-check'
import { expect } from 'vitest'
import { move } from '#domain/core/state-table.ts'
import {
  type Account,
  clearingAccount,
  consume,
  type Entitlement,
  entitlementTransitions,
  fund,
  giveBack,
  type Leg,
  pairLegs,
  refund,
  remainingUnits,
  walletAccount,
} from '#domain/credit/credit.ts'
import { challengeTransitions, referenceTransitions } from '#domain/payments/payment-reference.ts'
import { movesOf } from '../../../support/moves.ts'
import { verifies } from '../../../verifies.ts'

const pending = (granted_units: number, fee_units: number): Entitlement => ({
  entitlement_id: 'en_1',
  rail: 'packetops',
  state: 'pending',
  granted_units,
  fee_units,
  consumed_units: 0,
  returned_units: 0,
  source: null,
})

verifies(
  'money.states',
  'the three tables are the documented ones; other pairs are refused',
  () => {
    expect(movesOf(entitlementTransitions)).toEqual([
      'pending funded',
      'funded consumed',
      'funded returned',
      'returned funded',
    ])
    expect(movesOf(challengeTransitions)).toEqual([
      'open pending',
      'open expired',
      'pending settled',
      'pending open',
    ])
    expect(movesOf(referenceTransitions)).toEqual([
      'presented pending',
      'presented rejected',
      'presented expired',
      'pending verified',
      'pending rejected',
      'pending expired',
      'verified disputed',
      'verified refunded',
      'disputed verified',
      'disputed refunded',
      'refunded verified',
    ])
    const extra = { state: 'open', allowed_events: ['present', 'expire'] }
    const wrong = { refusal: expect.objectContaining({ code: 'wrong_state', extra }) }
    expect(() => move('the challenge', challengeTransitions, 'open', 'settle')).toThrow(
      expect.objectContaining(wrong),
    )
  },
)

type Act = { act: 'fund' | 'consume' | 'give_back' | 'refund'; units: number }
const commands = fc.array(
  fc.record<Act>({
    act: fc.constantFrom('fund', 'consume', 'consume', 'consume', 'give_back', 'refund'),
    units: fc.integer({ min: 1, max: 400 }),
  }),
  { maxLength: 12 },
)

function run(start: Entitlement, source: Account, sequence: readonly Act[]) {
  const books = new Map<Account, number>()
  const post = (legs: readonly Leg[]) => {
    expect(legs.reduce((sum, { units }) => sum + units, 0)).toBe(0)
    expect(legs.every(({ units }) => units !== 0)).toBe(true)
    for (const { account, units } of legs) books.set(account, (books.get(account) ?? 0) + units)
  }
  let one = start
  for (const { act, units } of sequence) {
    try {
      const movement = {
        fund: () => fund(one, source),
        consume: () => consume(one, units),
        refund: () => refund(one),
        give_back: () => giveBack(one),
      }[act]()
      post(movement.legs)
      one = movement.entitlement
    } catch (error) {
      expect(error).toMatchObject({
        refusal: { code: expect.stringMatching(/^(wrong_state|credit_exhausted)$/) },
      })
    }
    expect(books.get('credit:en_1') ?? 0).toBe(remainingUnits(one))
    expect(remainingUnits(one)).toBeGreaterThanOrEqual(0)
    // A payment is taken back once: what follows it is another entitlement's life.
    if (act === 'refund' && one.source !== null) break
  }
  return { one, books }
}

verifies(
  'money.double-entry',
  'any fund, consume, return and refund balances and stays positive',
  () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.nat(100),
        commands,
        (granted, share, sequence) => {
          const source = clearingAccount('invoice_reference')
          const { one, books } = run(
            pending(granted, Math.floor((granted * share) / 100)),
            source,
            sequence,
          )
          for (const [account, units] of books)
            if (account !== source) expect(units, account).toBeGreaterThanOrEqual(0)
          expect([...books.values()].reduce((sum, units) => sum + units, 0)).toBe(0)
          expect(one.consumed_units + one.returned_units).toBeLessThanOrEqual(granted)
          const last = sequence.at(-1)?.act
          if (one.state === 'returned' && last === 'refund') expect(books.get(source) ?? 0).toBe(0)
        },
      ),
      { numRuns: 500 },
    )
  },
)

verifies(
  'money.double-entry',
  'however the whole is cut up, revenue and fee get exactly their parts',
  () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
        fc.nat(100),
        (cuts, share) => {
          const granted = cuts.reduce((sum, cut) => sum + cut, 0)
          const fee = Math.floor((granted * share) / 100)
          const sequence = cuts.map((units) => ({ act: 'consume' as const, units }))
          const { one, books } = run(pending(granted, fee), walletAccount('aw_1'), [
            { act: 'fund', units: 1 },
            ...sequence,
          ])
          expect(one.state).toBe('consumed')
          expect(books.get('fees') ?? 0).toBe(fee)
          expect(books.get('revenue:packetops') ?? 0).toBe(granted - fee)
        },
      ),
    )
  },
)

verifies(
  'money.double-entry',
  'a packetops run by hand: 107 in, 99 earned, 8 fee, half returned',
  () => {
    const funded = fund(pending(107, 8), clearingAccount('hosted_checkout'))
    expect(funded.legs).toEqual([
      { account: 'clearing:hosted_checkout', units: -107 },
      { account: 'credit:en_1', units: 107 },
    ])
    expect(consume(funded.entitlement, 107)).toMatchObject({
      entitlement: { state: 'consumed' },
      legs: [
        { account: 'credit:en_1', units: -107 },
        { account: 'revenue:packetops', units: 99 },
        { account: 'fees', units: 8 },
      ],
    })
    const half = consume(funded.entitlement, 53)
    expect(half.legs[2]).toEqual({ account: 'fees', units: 3 })
    expect(giveBack(half.entitlement)).toMatchObject({
      entitlement: { state: 'returned', consumed_units: 53, returned_units: 54 },
      legs: [
        { account: 'credit:en_1', units: -54 },
        { account: 'clearing:hosted_checkout', units: 54 },
      ],
    })
    expect(() => consume(half.entitlement, 55)).toThrow(
      expect.objectContaining({ refusal: expect.objectContaining({ code: 'credit_exhausted' }) }),
    )
  },
)

verifies(
  'money.double-entry',
  'postings are shown as pairs of a debited and a credited account',
  () => {
    const legs: Leg[] = [
      { account: 'credit:en_1', units: -10 },
      { account: 'revenue:packetops', units: -97 },
      { account: 'fees', units: -8 },
      { account: 'clearing:hosted_checkout', units: 115 },
    ]
    expect(pairLegs(legs)).toEqual([
      { debit: 'credit:en_1', credit: 'clearing:hosted_checkout', units: 10 },
      { debit: 'revenue:packetops', credit: 'clearing:hosted_checkout', units: 97 },
      { debit: 'fees', credit: 'clearing:hosted_checkout', units: 8 },
    ])
  },
)
