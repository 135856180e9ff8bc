import fc from 'fast-check'
import { expect } from 'vitest'
import { financeops } from '#domain/rails/financeops/index.ts'
import type { FinanceopsInput, FinanceopsResult } from '#domain/rails/financeops/schema.ts'
import { verifies } from '../../../../verifies.ts'
import { expectCited } from '../citations.ts'
import { dice, shuffled } from '../dice.ts'
import { byFold } from '../fold.ts'
import { receivables } from './receivables.ts'

type Invoice = FinanceopsInput['invoices'][number]
type Payment = FinanceopsInput['payments'][number]
const codes = (notified: { code: string }[]) => notified.map(({ code }) => code)
const eur = (id: string, amount_minor: number) => ({ id, amount_minor, currency: 'EUR' })
const due = (id: string, amount: number, counterparty = 'A', due_at = '2026-01-10'): Invoice => ({
  ...eur(id, amount),
  counterparty,
  due_at,
})
const paid = (id: string, amount: number, more: Partial<Payment> = {}): Payment => {
  return { ...eur(id, amount), paid_at: '2026-01-11', counterparty: 'A', ...more }
}
const bare = (result: FinanceopsResult) =>
  JSON.parse(JSON.stringify(result, (key, value) => (key === 'citations' ? 0 : value)))
const matchesOf = (invoices: Invoice[], payments: Payment[], tolerance_minor = 0) =>
  financeops
    .work({ invoices, payments, tolerance_minor, as_of: '2026-02-01' })
    .result.matches.map((one) =>
      [one.kind, one.basis, one.status, one.invoice_ids.join(), one.payment_ids.join()].join(' '),
    )

verifies(
  ['financeops.matches', 'financeops.ageing', 'financeops.totals'],
  'a small ledger, worked out by hand',
  () => {
    const { result, findings, gaps } = financeops.work(financeops.sandboxInput)
    expect(
      result.matches.map(({ kind, basis, status, difference_minor }) => [
        kind,
        basis,
        status,
        difference_minor,
      ]),
    ).toEqual([
      ['one_to_one', 'reference', 'exact', 0],
      ['one_to_one', 'amount', 'within_tolerance', -50],
      ['one_to_many', 'combination', 'exact', 0],
      ['many_to_one', 'reference', 'partial', -50_000],
    ])
    expect(result.unmatched_invoices.map(({ id }) => id)).toEqual(['INV-2606', 'INV-2607'])
    expect(result.unmatched_payments.map(({ id }) => id)).toEqual(['BK-0106'])
    // Open on 31 March: 500.00 of 15 March (16 days), 640.00 of 20 December (101 days), 159.90 due on 10 April.
    expect(result.ageing).toEqual([
      {
        currency: 'EUR',
        not_due_minor: 15_990,
        days_1_30_minor: 50_000,
        days_31_60_minor: 0,
        days_61_90_minor: 0,
        over_90_minor: 64_000,
        open_minor: 129_990,
      },
    ])
    expect(result.exceptions.map(({ code, invoice_ids }) => [code, ...invoice_ids])).toEqual([
      ['partial_payment', 'INV-2605'],
      ['repeated_invoice', 'INV-2605'],
    ])
    // Paid 524,277 = 119,000 + 45,000 + 102,500 + 250,000 on invoices + 7,777; invoiced 946,540 with the row that came twice.
    expect(result.control_totals).toEqual([
      {
        currency: 'EUR',
        invoices: {
          rows: 8,
          total_minor: 946_540,
          set_aside_minor: 300_000,
          allocated_minor: 516_500,
          tolerated_minor: 50,
          discounted_minor: 0,
          exchanged_minor: 0,
          left_minor: 129_990,
        },
        payments: {
          rows: 6,
          total_minor: 524_277,
          set_aside_minor: 0,
          allocated_minor: 516_500,
          tolerated_minor: 0,
          discounted_minor: 0,
          exchanged_minor: 0,
          left_minor: 7_777,
        },
        balances: true,
      },
    ])
    expect(codes(findings)).toEqual(['exceptions', 'unmatched_invoices', 'unmatched_payments'])
    expect(gaps).toEqual([])
  },
)

verifies(
  'financeops.matches',
  'references join invoices and payments, and the oldest is paid first',
  () => {
    expect(
      matchesOf([due('I1', 100)], [paid('P1', 100, { reference: 'Re: #i1.', counterparty: 'B' })]),
    ).toEqual(['one_to_one reference exact I1 P1'])
    expect(
      matchesOf(
        [due('I1', 100), due('I2', 50)],
        [paid('P1', 120, { reference: 'I1,I2' }), paid('P2', 30, { reference: 'I2' })],
      ),
    ).toEqual(['many_to_many reference exact I1,I2 P1,P2'])
    const { result } = financeops.work({
      invoices: [due('I1', 100, 'A', '2026-01-20'), due('I2', 50)],
      payments: [paid('P1', 200, { reference: 'I1 I2' })],
    })
    expect(result.matches[0]?.allocations).toEqual([
      { invoice_id: 'I2', payment_id: 'P1', amount_minor: 50 },
      { invoice_id: 'I1', payment_id: 'P1', amount_minor: 100 },
    ])
    expect(result.matches[0]).toMatchObject({ status: 'over', difference_minor: 50 })
  },
)

verifies('financeops.matches', 'amounts, tolerance, sums of several and what is alone', () => {
  expect(
    matchesOf([due('I1', 100), due('I2', 100, 'B')], [paid('P1', 100, { counterparty: ' b ' })]),
  ).toEqual(['one_to_one amount exact I2 P1'])
  expect(matchesOf([due('I1', 100), due('I2', 104)], [paid('P1', 102), paid('P2', 99)], 2)).toEqual(
    ['one_to_one amount within_tolerance I1 P2', 'one_to_one amount within_tolerance I2 P1'],
  )
  expect(
    matchesOf([due('I1', 70), due('I2', 20), due('I3', 50), due('I4', 40)], [paid('P1', 90)]),
  ).toEqual(['one_to_many combination exact I1,I2 P1'])
  expect(matchesOf([due('I1', 90)], [paid('P1', 30), paid('P2', 60), paid('P3', 5)])).toEqual([
    'many_to_one combination exact I1 P1,P2',
  ])
  expect(matchesOf([due('I1', 90)], [paid('P1', 30)])).toEqual([
    'one_to_one only_candidate partial I1 P1',
  ])
  expect(matchesOf([due('I1', 90), due('I2', 80)], [paid('P1', 30)])).toEqual([])
  const { counterparty: _, ...anonymous } = paid('P1', 80)
  expect(matchesOf([due('I1', 90), due('I2', 80)], [anonymous])).toEqual([
    'one_to_one amount exact I2 P1',
  ])
  expect(matchesOf([due('I1', 80), due('I2', 80)], [anonymous])).toEqual([])
})

verifies('financeops.exceptions', 'what a person has to check has a code and its rows', () => {
  const input: FinanceopsInput = {
    as_of: '2026-01-31',
    invoices: [
      due('I1', 100),
      due('I2', 100),
      due('I3', 10),
      due('I3', 11),
      due('I4', 0),
      due('I5', 33, 'C'),
      { ...due('I6', 9), currency: 'USD' },
    ],
    payments: [
      paid('P1', 100, { reference: 'I1' }),
      paid('P2', 100, { reference: 'I1' }),
      paid('P3', 1, { paid_at: '2026-02-01' }),
      paid('P4', 33, { reference: 'I5', counterparty: 'D' }),
      paid('P5', 9, { reference: 'I6', counterparty: 'E' }),
    ],
  }
  const work = financeops.work(input)
  expect(codes(work.result.exceptions)).toEqual([
    'conflicting_invoice',
    'counterparty_differs',
    'currency_differs',
    'invoice_of_zero',
    'over_payment',
    'payment_after_as_of',
    'possible_duplicate_invoice',
    'possible_duplicate_payment',
  ])
  expect(codes(work.gaps)).toEqual(['set_aside'])
  expect(work.result.control_totals.map(({ currency, balances }) => [currency, balances])).toEqual([
    ['EUR', true],
    ['USD', true],
  ])
  expect(expectCited(input, work)).toBeGreaterThan(10)
  const { as_of: _, ...undated } = input
  expect(codes(financeops.work(undated).gaps)).toEqual(['no_as_of', 'set_aside'])
})

verifies(
  'financeops.bounds',
  'of many candidates only neighbours are summed; the rest is reported',
  () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      due(
        `I${index + 10}`,
        1_000 + index * index,
        'A',
        `2026-01-${String(1 + (index % 28)).padStart(2, '0')}`,
      ),
    )
    const { gaps } = financeops.work({
      invoices: many,
      payments: [paid('P1', 2_501)],
      as_of: '2026-02-01',
    })
    expect(codes(gaps)).toEqual(['combinations_not_searched'])
    const inOrder = Array.from({ length: 20 }, (_, index) =>
      due(`I${index + 10}`, 100 + index, 'A', `2026-01-${index + 10}`),
    )
    expect(matchesOf(inOrder, [paid('P1', 105 + 106 + 107)])).toEqual([
      'one_to_many combination exact I15,I16,I17 P1',
    ])
  },
)

verifies(
  ['financeops.matches', 'rails.fold'],
  '10,000 invoices and 9,000 payments match as they were generated',
  () => {
    const { input, expected } = receivables(10_000)
    expect(input.invoices.length).toBe(10_000)
    expect(input.payments.length).toBeGreaterThan(8_500)
    const work = financeops.work(input)
    const { result } = work
    const keyOf = (invoices: string[], payments: string[]) =>
      `${invoices.toSorted().join()} by ${payments.toSorted().join()}`
    const found = result.matches.map(
      ({ invoice_ids, payment_ids, status }) => `${keyOf(invoice_ids, payment_ids)} ${status}`,
    )
    expect(found.toSorted()).toEqual(
      expected.map((one) => `${keyOf(one.invoices, one.payments)} ${one.status}`).toSorted(),
    )
    const openById = new Map(input.invoices.map(({ id, amount_minor }) => [id, amount_minor]))
    for (const one of result.matches) {
      for (const { invoice_id, amount_minor } of one.allocations)
        openById.set(invoice_id, (openById.get(invoice_id) ?? 0) - amount_minor)
      if (one.status === 'within_tolerance') for (const id of one.invoice_ids) openById.set(id, 0)
    }
    const open = [...openById.values()].reduce((sum, amount) => sum + amount, 0)
    expect(result.ageing?.reduce((sum, { open_minor }) => sum + open_minor, 0)).toBe(open)
    expect(result.control_totals.every(({ balances }) => balances)).toBe(true)
    expect(JSON.stringify(byFold(financeops, input))).toBe(JSON.stringify(work))
    expect(financeops.result.parse(result)).toEqual(result)
  },
)

const ledger = fc.record({
  invoices: fc.array(
    fc
      .record({
        id: fc.constantFrom(...'abcdefghij').map((id) => `i-${id}`),
        amount_minor: fc.integer({ min: -15, max: 40 }),
        currency: fc.constantFrom('EUR', 'USD'),
        counterparty: fc.constantFrom('A', 'B', 'b Ltd.'),
        due_at: fc.constantFrom('2026-01-01', '2026-01-05', '2026-02-20'),
        credits: fc.constantFrom('i-a', 'i-b', undefined),
        discount_percent: fc.constantFrom(10, undefined),
        discount_until: fc.constantFrom('2026-01-05', undefined),
      })
      .map((row): Invoice => JSON.parse(JSON.stringify(row))),
    { maxLength: 12 },
  ),
  payments: fc.array(
    fc
      .record({
        id: fc.constantFrom(...'klmnopqrst').map((id) => `p-${id}`),
        amount_minor: fc.integer({ min: -15, max: 60 }),
        currency: fc.constantFrom('EUR', 'USD'),
        paid_at: fc.constantFrom('2026-01-02', '2026-01-08', '2026-03-01'),
        counterparty: fc.constantFrom('A', 'B', undefined),
        reference: fc.constantFrom('i-a', 'i-b i-c', 'rent', undefined),
      })
      .map((row): Payment => JSON.parse(JSON.stringify(row))),
    { maxLength: 12 },
  ),
  tolerance_minor: fc.nat(3),
  as_of: fc.constant('2026-02-01'),
  exchange_rates: fc
    .boolean()
    .map((given) => (given ? [{ from: 'USD', to: 'EUR', rate: '0.5' }] : [])),
})

verifies(
  ['financeops.totals', 'rails.order'],
  'any ledger balances and keeps each row once, in any order',
  () => {
    fc.assert(
      fc.property(ledger, fc.nat(), (input, seed) => {
        const { result } = financeops.work(input)
        for (const { currency, invoices, payments, balances } of result.control_totals) {
          const sum = (rows: { amount_minor: number; currency: string }[]) =>
            rows.reduce(
              (total, row) => total + (row.currency === currency ? row.amount_minor : 0),
              0,
            )
          expect(balances).toBe(true)
          expect(invoices.total_minor).toBe(sum(input.invoices))
          expect(payments.total_minor).toBe(sum(input.payments))
          expect(invoices.allocated_minor).toBe(payments.allocated_minor)
        }
        for (const { entry } of result.postings) {
          const lines = result.postings.filter((line) => line.entry === entry)
          const sides = lines.map(({ debit_minor, credit_minor }) => debit_minor - credit_minor)
          expect(sides.reduce((sum, side) => sum + side, 0)).toBe(0)
        }
        const ids = [
          ...result.matches.flatMap((one) => one.invoice_ids),
          ...result.unmatched_invoices.map(({ id }) => id),
        ]
        expect(new Set(ids).size).toBe(ids.length)
        const roll = dice(seed)
        const other = {
          ...input,
          invoices: shuffled(input.invoices, roll),
          payments: shuffled(input.payments, roll),
        }
        expect(bare(financeops.work(other).result)).toEqual(bare(result))
      }),
      { numRuns: 300 },
    )
  },
)

verifies(
  ['financeops.totals', 'rails.order'],
  'another currency or another unit of the same amounts matches the same',
  () => {
    const inUnits = (input: FinanceopsInput, times: number, euro: string): FinanceopsInput => {
      const rowIn = <Row extends Invoice | Payment>(row: Row): Row => ({
        ...row,
        amount_minor: row.amount_minor * times,
        currency: row.currency === 'EUR' ? euro : row.currency,
      })
      return {
        ...input,
        tolerance_minor: (input.tolerance_minor ?? 0) * times,
        exchange_rates: (input.exchange_rates ?? []).map((rate) => ({ ...rate, to: euro })),
        invoices: input.invoices.map(rowIn),
        payments: input.payments.map(rowIn),
      }
    }
    const matchesIn = (input: FinanceopsInput) =>
      financeops.work(input).result.matches.map((one) => {
        const ids = [one.invoice_ids, one.payment_ids, one.credit_ids, one.refund_ids]
        return [one.basis, one.status, one.confidence, ...ids]
      })
    fc.assert(
      // Twentieths of each amount are whole, so that discounts and conversions are not rounded.
      fc.property(ledger, fc.constantFrom(1, 10, 1_000), (input, times) => {
        const one = inUnits(input, 20, 'EUR')
        expect(matchesIn(inUnits(input, 20 * times, 'CHF'))).toEqual(matchesIn(one))
      }),
      { numRuns: 200 },
    )
  },
)

verifies(
  'financeops.bounds',
  '10,000 unmatched invoices of one customer stop at the step limit',
  () => {
    const invoices = Array.from({ length: 10_000 }, (_, index) =>
      due(`I${index}`, 1_000 + ((index * 7_919) % 900_007)),
    )
    const payments = Array.from({ length: 9_000 }, (_, index) =>
      paid(`P${index}`, 500 + ((index * 104_729) % 2_000_003)),
    )
    const { result, gaps } = financeops.work({ invoices, payments, as_of: '2026-02-01' })
    expect(codes(gaps)).toEqual(['combinations_not_searched'])
    expect(result.control_totals[0]?.balances).toBe(true)
  },
)
