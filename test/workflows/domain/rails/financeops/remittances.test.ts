import { expect } from 'vitest'
import { financeops } from '#domain/rails/financeops/index.ts'
import { type Invoice, Payment } from '#domain/rails/financeops/schema.ts'
import { verifies } from '../../../../verifies.ts'
import { fileText } from './files.ts'
import { type Case, casesOf, matched, measured, row } from './remittances.ts'

verifies('financeops.matches', 'remittances of the trade name their invoices', () => {
  const cases = casesOf(fileText('../remittances.txt'))
  expect(cases.length).toBeGreaterThanOrEqual(100)
  // By the words alone: no payer is named, and no invoice has the amount.
  const byWords = (one: Case) => ({ ...one, payer: '-', amount: one.amount - 1_313 })
  for (const of of [(one: Case) => one, (one: Case) => ({ ...one, payer: '-' }), byWords])
    expect(measured(cases, of)).toEqual({ missed: [], wrong: [] })
})

verifies('financeops.matches', 'remittances that were set aside name their invoices', () => {
  const cases = casesOf(fileText('../remittances-frozen.txt'))
  const byWords = (one: Case) => ({ ...one, payer: '-', amount: one.amount - 113 })
  expect(measured(cases, (one) => one)).toEqual({ missed: [], wrong: [] })
  expect(measured(cases, byWords)).toMatchObject({ missed: { length: 5 }, wrong: [] })
})

verifies('financeops.matches', 'what only looks like an id is not followed', () => {
  const of = (reference: string, amount = 7_710) =>
    matched({ payer: '-', amount, reference, truth: '' })
  for (const reference of [
    'INV-1001x',
    '2024-11-01',
    '20241101',
    'Kd 55001',
    'INV 2024',
    'rent 08 15 to 08 17',
    'INV-100',
    '1002,00 EUR',
    'order 77001',
    'tel 0301 0302',
  ])
    expect(of(reference), reference).toEqual([])
  expect(of('INV-1001, 1.002,00 EUR')).toEqual(['INV-1001'])
  expect(of('INV-1001 02.03.2024')).toEqual(['INV-1001'])
  expect(of('INV-1001 2/3')).toEqual(['INV-1001'])
})

verifies('financeops.evidence', 'of two that fit alike none is sure', () => {
  const payment = (id: string): Payment => {
    const own = { id, amount_minor: 66_000, currency: 'EUR', counterparty: 'Alder GmbH' }
    return { ...own, paid_at: '2024-04-02' }
  }
  const sure = (invoices: Invoice[], payments: Payment[]) =>
    financeops.work({ invoices, payments }).result.matches.map(({ confidence }) => confidence > 0.9)
  const one = row('INV-1', 660, 'Alder GmbH')
  expect(sure([one], [payment('P1')])).toEqual([true])
  expect(sure([one], [payment('P1'), payment('P2')])).toEqual([false])
  expect(sure([one, row('INV-2', 660, 'Alder GmbH')], [payment('P1')])).toEqual([false])
})

verifies('financeops.ageing', 'a time counts as the day that is written', () => {
  const ages = (due_at: string) =>
    financeops.work({
      invoices: [{ ...row('INV-1', 1, 'A'), due_at }],
      payments: [],
      as_of: '2024-04-01',
    }).result.ageing?.[0]
  for (const time of [
    '2024-03-31',
    '2024-03-31T23:30:00Z',
    '2024-03-31T00:30:00+02:00',
    '2024-03-31T23:30:00',
  ])
    expect(ages(time), time).toMatchObject({ days_1_30_minor: 100 })
  expect(ages('2024-04-01T00:30:00+02:00')).toMatchObject({ not_due_minor: 100 })
})

verifies('financeops.postings', 'the fee of a processor is posted, and the invoice is paid', () => {
  const invoices = [row('INV-1', 1_000, 'A')]
  const payment = Payment.parse({
    id: 'P',
    amount: '1000.00',
    fee: 29.3,
    currency: 'EUR',
    counterparty: 'A',
    paid_at: '2024-04-02',
  })
  const { matches, postings } = financeops.work({ invoices, payments: [payment] }).result
  expect(matches).toMatchObject([{ status: 'exact' }])
  const lines = postings.map(({ account, debit_minor, credit_minor }) => [
    account,
    debit_minor - credit_minor,
  ])
  expect(lines).toEqual([
    ['bank', 97_070],
    ['fees', 2_930],
    ['receivables', -100_000],
  ])
  const over = Payment.safeParse({ ...payment, fee_minor: 100_001 })
  expect(over.error?.issues).toMatchObject([{ path: ['fee_minor'] }])
})
