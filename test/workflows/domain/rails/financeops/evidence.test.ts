import { expect } from 'vitest'
import { financeops } from '#domain/rails/financeops/index.ts'
import { partyKey } from '#domain/rails/financeops/parties.ts'
import type { FinanceopsInput } from '#domain/rails/financeops/schema.ts'
import { verifies } from '../../../../verifies.ts'

type Invoice = FinanceopsInput['invoices'][number]
type Payment = FinanceopsInput['payments'][number]
const due = (id: string, amount_minor: number, more: Partial<Invoice> = {}): Invoice => {
  return { id, amount_minor, currency: 'EUR', counterparty: 'A', due_at: '2026-01-10', ...more }
}
const paid = (id: string, amount_minor: number, more: Partial<Payment> = {}): Payment => {
  return { id, amount_minor, currency: 'EUR', counterparty: 'A', paid_at: '2026-01-11', ...more }
}
const workOn = (
  invoices: Invoice[],
  payments: Payment[],
  more: Partial<FinanceopsInput> = {},
): ReturnType<typeof financeops.work>['result'] => {
  const { result } = financeops.work({ invoices, payments, as_of: '2026-02-01', ...more })
  expect(result.control_totals.every(({ balances }) => balances)).toBe(true)
  return result
}
const shown = ({ matches }: ReturnType<typeof workOn>) =>
  matches.map(({ basis, status, invoice_ids, payment_ids }) =>
    [basis, status, invoice_ids.join(), payment_ids.join()].join(' '),
  )
const codes = ({ exceptions }: ReturnType<typeof workOn>) => exceptions.map(({ code }) => code)

verifies('financeops.parties', 'names are one party but for case, marks and legal forms', () => {
  expect(partyKey('UMBRELLA INC.')).toBe(partyKey('Umbrella Inc'))
  expect(partyKey('The Café Müller & Co. GmbH')).toBe(partyKey('CAFE MULLER'))
  expect(partyKey('I.B.M. Corporation')).toBe('ibm')
  expect(partyKey('Møller & Sons')).toBe(partyKey('Moller and Sons Ltd.'))
  expect(partyKey('The Limited')).toBe(partyKey('the limited'))
  expect(partyKey('Acme East')).not.toBe(partyKey('Acme West'))
  const result = workOn(
    [due('I1', 100, { counterparty: 'Umbrella Inc' })],
    [paid('P1', 100, { counterparty: 'UMBRELLA INC.' })],
  )
  expect(result.matches[0]).toMatchObject({
    names: [{ invoiced: 'Umbrella Inc', paid: 'UMBRELLA INC.', by: 'spelling' }],
    evidence: ['party', 'amount'],
    confidence: 0.95,
  })
  const parent = workOn(
    [due('I1', 100, { counterparty: 'Umbrella Inc' })],
    [paid('P1', 100, { counterparty: 'Spencer Trust' })],
    { party_aliases: [{ name: 'Spencer Trust Ltd', party: 'Umbrella' }] },
  )
  expect(parent.matches[0]).toMatchObject({ evidence: ['party_alias', 'amount'], confidence: 0.92 })
})

verifies('financeops.evidence', 'a wrong reference does not win over amount and party', () => {
  const typo = workOn(
    [due('INV-10014', 500), due('INV-10015', 900, { counterparty: 'B' })],
    [paid('P1', 500, { reference: 'INV-10015' })],
  )
  expect(shown(typo)).toEqual(['amount exact INV-10014 P1'])
  expect(codes(typo)).toEqual(['reference_differs'])
  const boxes = workOn(
    [due('10', 5_000), due('11', 99_900, { counterparty: 'C' })],
    [paid('P1', 99_900, { counterparty: 'D', reference: '10 boxes of paper' })],
  )
  expect(shown(boxes)).toEqual([])
  expect(codes(boxes)).toEqual(['possible_payer', 'reference_differs'])
  const number = workOn(
    [due('INV-10003', 100), due('INV-10004', 100)],
    [paid('P1', 100, { reference: 'Invoice no 10004' })],
  )
  expect(shown(number)).toEqual(['reference exact INV-10004 P1'])
})

verifies('financeops.evidence', 'instalments settle one invoice and are no duplicates', () => {
  const three = ['2026-01-11', '2026-02-11', '2026-03-11'].map((paid_at, index) =>
    paid(`P${index}`, 100, { paid_at, counterparty: 'Cyberdyne Systems, Inc.' }),
  )
  const result = workOn([due('I1', 300, { counterparty: 'Cyberdyne Systems Inc' })], three, {
    as_of: '2026-04-01',
  })
  expect(shown(result)).toEqual(['combination exact I1 P0,P1,P2'])
  expect(codes(result)).toEqual([])
})

verifies('financeops.credits', 'credit notes lower what is open', () => {
  const stated = workOn(
    [due('I1', 100), due('I2', 70), due('C1', -30, { credits: 'I1' })],
    [paid('P1', 70, { reference: 'I1' })],
  )
  expect(stated.matches[0]).toMatchObject({
    status: 'exact',
    invoice_ids: ['I1'],
    credit_ids: ['C1'],
    credited: [{ invoice_id: 'I1', credit_id: 'C1', amount_minor: 30 }],
  })
  expect(stated.ageing?.[0]?.open_minor).toBe(70)
  const met = workOn([due('I1', 100), due('I2', 70), due('C1', -30)], [paid('P1', 40)])
  expect(shown(met)).toEqual(['amount exact I2 P1'])
  expect(met.ageing?.[0]?.open_minor).toBe(100)
  const oldest = workOn([due('I1', 100), due('C1', -30), due('C2', -200)], [])
  expect(shown(oldest)).toEqual(['credit exact I1 '])
  expect(oldest.unmatched_invoices).toMatchObject([{ id: 'C2', amount_minor: -130 }])
})

verifies('financeops.credits', 'refunds lower what was paid too much', () => {
  const over = workOn(
    [due('INV-1', 100)],
    [paid('P1', 150, { reference: 'INV-1' }), paid('R1', -50, { paid_at: '2026-01-20' })],
  )
  expect(over.matches[0]).toMatchObject({ status: 'exact', refund_ids: ['R1'] })
  const twice = workOn(
    [due('INV-1', 100)],
    [paid('P1', 100, { reference: 'INV-1' }), paid('P2', 80), paid('R1', -80)],
  )
  expect(shown(twice)).toEqual(['reference exact INV-1 P1', 'amount exact  P2'])
  expect(twice.unmatched_payments).toEqual([])
})

verifies('financeops.terms', 'a discount counts for payments in time', () => {
  const terms = { discount_percent: 2, discount_until: '2026-01-12' }
  const invoices = [due('I1', 10_000, terms), due('I2', 5_000, terms), due('I3', 700)]
  const intime = workOn(invoices, [paid('P1', 9_800)])
  expect(intime.matches[0]).toMatchObject({
    status: 'discounted',
    discount_minor: 200,
    difference_minor: -200,
    invoice_ids: ['I1'],
  })
  expect(intime.control_totals[0]?.invoices.discounted_minor).toBe(200)
  const both = workOn(invoices, [paid('P1', 14_700)])
  expect(both.matches[0]).toMatchObject({ invoice_ids: ['I1', 'I2'], discount_minor: 300 })
  const late = workOn(invoices, [paid('P1', 9_800, { paid_at: '2026-01-13' })])
  expect(late.matches).toEqual([])
})

verifies('financeops.exchange', 'payments in another currency are converted by their day', () => {
  const exchange_rates = [
    { from: 'USD', to: 'EUR', rate: '0.8', day: '2026-01-01' },
    { from: 'USD', to: 'EUR', rate: '0.9', day: '2026-01-12' },
  ]
  const result = workOn(
    [due('I1', 80), due('I2', 500, { currency: 'USD', counterparty: 'B' })],
    [paid('P1', 100, { currency: 'USD' })],
    { exchange_rates },
  )
  expect(result.matches[0]).toMatchObject({
    status: 'exact',
    currency: 'EUR',
    evidence: ['party', 'amount', 'exchange_rate'],
    exchanged: [{ payment_id: 'P1', currency: 'USD', amount_minor: 100, converted_minor: 80 }],
  })
  const [eur, usd] = result.control_totals
  expect(eur?.payments).toMatchObject({ total_minor: 0, allocated_minor: 80, exchanged_minor: -80 })
  expect(usd?.payments).toMatchObject({ total_minor: 100, exchanged_minor: 100, left_minor: 0 })
  const unknown = workOn(
    [due('INV-1', 80)],
    [paid('P1', 100, { currency: 'USD', reference: 'INV-1' })],
  )
  expect(unknown.exceptions).toMatchObject([{ code: 'currency_differs', invoice_ids: ['INV-1'] }])
})

verifies('financeops.postings', 'each match is an entry whose two sides are equal', () => {
  const { postings } = workOn(
    [
      due('I1', 10_000, { discount_percent: 2, discount_until: '2026-01-12' }),
      due('I2', 300, { counterparty: 'B' }),
      due('C1', -50, { counterparty: 'B', credits: 'I2' }),
    ],
    [paid('P1', 9_800), paid('P2', 400, { counterparty: 'B', reference: 'I2' })],
  )
  expect(
    postings.map((one) => [
      one.entry,
      one.account,
      one.debit_minor,
      one.credit_minor,
      one.document,
    ]),
  ).toEqual([
    [0, 'bank', 9_800, 0, 'P1'],
    [0, 'discounts', 200, 0, 'I1'],
    [0, 'receivables', 0, 10_000, 'I1'],
    [1, 'bank', 400, 0, 'P2'],
    [1, 'receivables', 50, 0, 'C1'],
    [1, 'receivables', 0, 300, 'I2'],
    [1, 'prepayments', 0, 150, 'P2'],
  ])
})
