import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect } from 'vitest'
import { frequencies, instantsOf, periodOf } from '#domain/ap2/calendar.ts'
import { checkoutViolations, paymentViolations } from '#domain/ap2/constraints.ts'
import { meetsLineItems } from '#domain/ap2/line-items.ts'
import {
  Merchant,
  OpenCheckoutMandate,
  OpenPaymentMandate,
  PaymentMandate,
} from '#domain/ap2/mandates.ts'
import { minorUnits } from '#domain/ap2/money.ts'
import { decimalsOf } from '#domain/core/money.ts'
import { verifies } from '../../../verifies.ts'

type Vector = { name: string; ours: string[]; reference: string; difference?: string }
type PaymentVector = Vector & {
  constraints: object[]
  closed?: object
  open?: object
  now?: number
  history?: { spent: number; occurrences: number; last_at: number }
}
type CheckoutVector = Vector & {
  items: { id: string; quantity: number }[]
  requirements: object[]
  merchants?: object[]
}
const { base, payments, checkouts } = JSON.parse(
  readFileSync(new URL('../../../vectors/ap2/constraints.json', import.meta.url), 'utf8'),
) as {
  base: { open: object; closed: object; merchant: object; open_checkout_hash: string; now: number }
  payments: PaymentVector[]
  checkouts: CheckoutVector[]
}

const unused = { spent: 0n, occurrences: 0, lastAt: undefined }
const openOf = (constraints: object[], more: object = {}) =>
  OpenPaymentMandate.parse({ ...base.open, ...more, constraints })
const closedOf = (more: object = {}) => PaymentMandate.parse({ ...base.closed, ...more })

function judged({ constraints, open, closed, history, now }: PaymentVector): string[] {
  const past = history && {
    spent: BigInt(history.spent),
    occurrences: history.occurrences,
    lastAt: history.last_at,
  }
  const facts = {
    nowSeconds: now ?? base.now,
    openCheckoutHash: base.open_checkout_hash,
    history: past ?? unused,
  }
  const broken = paymentViolations(openOf(constraints, open), closedOf(closed), facts)
  return broken.map(({ constraint }) => constraint)
}

verifies('ap2.constraints', 'each payment vector breaks the constraints it names', () => {
  expect(payments.map((vector) => [vector.name, judged(vector)])).toEqual(
    payments.map(({ name, ours }) => [name, ours]),
  )
})

verifies('ap2.constraints', 'each checkout vector breaks the constraints it names', () => {
  const broken = checkouts.map(({ name, items, requirements, merchants }) => {
    const allowed = merchants && [{ type: 'checkout.allowed_merchants', allowed: merchants }]
    const open = OpenCheckoutMandate.parse({
      ...base.open,
      vct: 'mandate.checkout.open.1',
      constraints: [{ type: 'checkout.line_items', items: requirements }, ...(allowed ?? [])],
    })
    const checkout = { merchant: Merchant.parse(base.merchant), items }
    return [name, checkoutViolations(open, checkout).map(({ constraint }) => constraint)]
  })
  expect(broken).toEqual(checkouts.map(({ name, ours }) => [name, ours]))
})

verifies('ap2.constraints', 'a vector explains each difference to the reference', () => {
  for (const { name, ours, reference, difference } of [...payments, ...checkouts])
    expect([name, difference !== undefined]).toEqual([
      name,
      (ours.length === 0) !== (reference === 'accepted'),
    ])
})

verifies('ap2.constraints', 'an unknown constraint, member or second kind is refused', () => {
  const reference = { type: 'payment.reference', conditional_transaction_id: 'x' }
  const range = { type: 'payment.amount_range', currency: 'USD', max: 1 }
  const parses = (constraints: object[]) =>
    OpenPaymentMandate.safeParse({ ...base.open, constraints }).success
  expect(parses([reference, range])).toBe(true)
  const wrong = [
    [range],
    [reference, { type: 'payment.velocity', max: 1 }],
    [reference, { ...range, per: 'DAY' }],
    [reference, { ...range, max: 1.5 }],
    [reference, { ...range, max: -1 }],
    [reference, { type: 'payment.budget', max: Number.POSITIVE_INFINITY, currency: 'USD' }],
    [reference, { type: 'checkout.allowed_merchants', allowed: [] }],
  ]
  expect(wrong.map(parses)).toEqual(wrong.map(() => false))
  const withKey = { ...base.closed, cnf: { jwk: {} } }
  expect(PaymentMandate.safeParse(withKey).success).toBe(false)
})

verifies('ap2.constraints', 'major units become exactly the minor units they show', () => {
  const currencies = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF')
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 31 - 1 }), currencies, (minor, currency) => {
      const decimals = decimalsOf(currency) ?? 0
      const digits = String(minor).padStart(decimals + 1, '0')
      const cut = digits.length - decimals
      const major = Number(`${digits.slice(0, cut)}.${digits.slice(cut)}`)
      expect(minorUnits(major, currency)).toBe(BigInt(minor))
    }),
  )
  for (const [major, currency] of [
    [0.001, 'USD'],
    [0.5, 'JPY'],
    [-1, 'USD'],
    [Number.NaN, 'USD'],
    [1e21, 'USD'],
    [1e-7, 'CLF'],
    [1, 'XAU'],
    [1, 'usd'],
  ] as const)
    expect(minorUnits(major, currency)).toBeUndefined()
})

verifies('ap2.constraints', 'a budget is never exceeded, and its last unit can be spent', () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 4000 }), { maxLength: 20 })
  fc.assert(
    fc.property(amounts, fc.nat({ max: 20_000 }), (wanted, cents) => {
      const open = openOf([
        { type: 'payment.reference', conditional_transaction_id: base.open_checkout_hash },
        { type: 'payment.amount_range', currency: 'USD', max: 4000 },
        { type: 'payment.budget', max: cents / 100, currency: 'USD' },
        { type: 'payment.agent_recurrence', frequency: 'ON_DEMAND' },
      ])
      let spent = 0
      for (const amount of wanted) {
        const history = { spent: BigInt(spent), occurrences: 1, lastAt: base.now }
        const openCheckoutHash = base.open_checkout_hash
        const facts = { nowSeconds: base.now, openCheckoutHash, history }
        const closed = closedOf({ payment_amount: { amount, currency: 'USD' } })
        const ok = paymentViolations(open, closed, facts).length === 0
        expect(ok).toBe(spent + amount <= cents)
        if (ok) spent += amount
      }
    }),
  )
})

verifies('ap2.constraints', 'periods are those of the UTC calendar', () => {
  const seconds = fc.integer({ min: 0, max: 4_102_444_799 })
  const monday = (at: number) => new Date(at * 1000).getUTCDay() === 1
  const begins = {
    DAILY: () => true,
    WEEKLY: monday,
    BIWEEKLY: monday,
    MONTHLY: (at: number) => new Date(at * 1000).getUTCDate() === 1,
    QUARTERLY: (at: number) => /-(01|04|07|10)-01$/.test(dayText(at)),
    ANNUALLY: (at: number) => dayText(at).endsWith('-01-01'),
    ON_DEMAND: () => false,
  }
  fc.assert(
    fc.property(seconds, fc.constantFrom(...frequencies), (at, frequency) => {
      const midnight = at - (at % 86_400)
      const [before, now] = [periodOf(frequency, midnight - 1), periodOf(frequency, at)]
      expect(periodOf(frequency, midnight)).toBe(now)
      if (frequency === 'ON_DEMAND') {
        expect([before, now]).toEqual([undefined, undefined])
        return
      }
      const isNew = now !== before
      if (isNew) expect(now).toBe((before ?? 0) + 1)
      if (frequency === 'BIWEEKLY' && !isNew) return
      expect(isNew).toBe(begins[frequency](midnight))
    }),
  )
  const first = Date.parse('2026-11-23T00:00:00Z') / 1000
  expect(periodOf('BIWEEKLY', first)).toBe((periodOf('BIWEEKLY', first - 14 * 86_400) ?? 0) + 1)
  expect(instantsOf('2026-02-30')).toBeUndefined()
  expect(instantsOf('2026-11-25 00:00')).toBeUndefined()
})
const dayText = (at: number) => new Date(at * 1000).toISOString().slice(0, 10)

verifies('ap2.constraints', 'line items match exactly where an assignment exists', () => {
  const ids = fc.constantFrom('a', 'b', 'c')
  const requirement = fc.record({
    quantity: fc.integer({ min: 1, max: 3 }),
    accepts: fc.uniqueArray(ids),
  })
  const item = fc.record({ id: ids, quantity: fc.integer({ min: 1, max: 3 }) })
  fc.assert(
    fc.property(
      fc.array(requirement, { minLength: 1, maxLength: 3 }),
      fc.array(item, { maxLength: 3 }),
      (asked, items) => {
        const requirements = asked.map(({ quantity, accepts }, index) => ({
          id: String(index),
          quantity,
          acceptable_items: accepts.map((id) => ({ id, title: id })),
        }))
        const slots = asked.flatMap(({ quantity, accepts }) => Array(quantity).fill(accepts))
        const units = items.flatMap(({ id, quantity }) => Array<string>(quantity).fill(id))
        expect(meetsLineItems(items, requirements)).toBe(isAssignable(units, slots))
      },
    ),
    { numRuns: 300 },
  )
})

/** Tries every assignment of single units to slots. */
function isAssignable([unit, ...units]: string[], slots: string[][]): boolean {
  if (unit === undefined) return slots.length === 0
  return slots.some(
    (accepts, index) => accepts.includes(unit) && isAssignable(units, slots.toSpliced(index, 1)),
  )
}
