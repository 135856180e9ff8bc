import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Account,
  clearingAccount,
  consume,
  type Entitlement,
  freeAccount,
  fund,
  giveBack,
  type Leg,
  pairLegs,
  refund,
  sandboxAccount,
  usageOf,
} from '#domain/credit/credit.ts'
import { verifies } from '../../../verifies.ts'
import { refusalOf } from '../refusal.ts'

const pending: Entitlement = {
  entitlement_id: 'en_1',
  rail: 'packetops',
  state: 'pending',
  granted_units: 107,
  fee_units: 8,
  consumed_units: 0,
  returned_units: 0,
  source: null,
}
const funded = fund(pending, clearingAccount('hosted_checkout')).entitlement

test('accounts have the names that the books are kept under', () => {
  expect(sandboxAccount).toBe('clearing:sandbox')
  expect(freeAccount).toBe('clearing:free')
  expect(clearingAccount('invoice_reference')).toBe('clearing:invoice_reference')
})

verifies('money.double-entry', 'credit of the sandbox earns no fee and no real revenue', () => {
  const { entitlement } = fund(pending, sandboxAccount)
  expect(usageOf(entitlement)).toBe('synthetic')
  expect(usageOf(funded)).toBe('operational')
  expect(consume(entitlement, 107).legs).toEqual([
    { account: 'credit:en_1', units: -107 },
    { account: 'revenue:sandbox', units: 107 },
  ])
})

verifies('money.double-entry', 'used credit and unfunded credit give nothing back', () => {
  const used = consume(funded, 107).entitlement
  for (const entitlement of [used, pending])
    expect(giveBack(entitlement)).toEqual({ entitlement, legs: [] })
})

verifies('money.double-entry', 'credit that was never funded cannot be refunded', () => {
  expect(refusalOf(() => refund(pending)).code).toBe('wrong_state')
})

verifies('money.double-entry', 'a refund takes back what was earned and what is left', () => {
  const half = consume(funded, 53).entitlement
  expect(refund(half)).toEqual({
    entitlement: { ...half, state: 'returned', returned_units: 54 },
    legs: [
      { account: 'credit:en_1', units: -54 },
      { account: 'revenue:packetops', units: -50 },
      { account: 'fees', units: -3 },
      { account: 'clearing:hosted_checkout', units: 107 },
    ],
  })
})

verifies('money.double-entry', 'an entitlement of nothing moves nothing', () => {
  const { entitlement, legs } = fund({ ...pending, granted_units: 0, fee_units: 0 }, sandboxAccount)
  expect(legs).toEqual([])
  const paid = { ...entitlement, source: clearingAccount('hosted_checkout') }
  expect(consume(paid, 0)).toMatchObject({ entitlement: { state: 'consumed' }, legs: [] })
})

verifies('money.double-entry', 'too large a use is refused with the rest', () => {
  const used = consume(funded, 100).entitlement
  expect(refusalOf(() => consume(used, 8))).toMatchObject({
    code: 'credit_exhausted',
    detail: expect.stringContaining('7'),
    extra: { remaining_units: 7 },
  })
  expect(refusalOf(() => fund(funded, sandboxAccount)).detail).toContain('the entitlement')
})

verifies('money.double-entry', 'the pairs of any balanced legs sum up to the legs', () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(amounts, amounts, (left, right) => {
      const account = (side: string, index: number) => `wallet:${side}${index}` as const
      const sum = (units: number[]) => units.reduce((total, one) => total + one, 0)
      const more = Math.max(sum(left), sum(right)) + 1
      const debits = [...left, more - sum(left)]
      const credits = [...right, more - sum(right)]
      const legs: Leg[] = [
        ...debits.map((units, index) => ({ account: account('d', index), units: -units })),
        ...credits.map((units, index) => ({ account: account('c', index), units })),
      ]
      const pairs = pairLegs(legs)
      const books = new Map<Account, number>()
      for (const { debit, credit, units } of pairs) {
        expect(units).toBeGreaterThan(0)
        books.set(debit, (books.get(debit) ?? 0) - units)
        books.set(credit, (books.get(credit) ?? 0) + units)
      }
      expect(books).toEqual(new Map(legs.map((leg) => [leg.account, leg.units])))
      expect(pairs.length).toBeLessThan(debits.length + credits.length)
    }),
  )
})
