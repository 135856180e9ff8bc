import { expect } from 'vitest'
import { financeops } from '#domain/rails/financeops/index.ts'
import type { FinanceopsInput } from '#domain/rails/financeops/schema.ts'
import { verifies } from '../../../../verifies.ts'

type Invoice = FinanceopsInput['invoices'][number]
type Payment = FinanceopsInput['payments'][number]
const eur = (id: string, amount_minor: number) => ({ id, amount_minor, currency: 'EUR' })
const due = (id: string, amount: number, more: Partial<Invoice> = {}): Invoice => {
  return { ...eur(id, amount), counterparty: 'Alder', due_at: '2026-01-10', ...more }
}
const paid = (id: string, amount: number, more: Partial<Payment> = {}): Payment => {
  return { ...eur(id, amount), paid_at: '2026-01-11', counterparty: 'Alder', ...more }
}
const workOn = (invoices: Invoice[], payments: Payment[]) => {
  const { result } = financeops.work({ invoices, payments, as_of: '2026-02-01' })
  return {
    open: result.ageing?.map(({ open_minor }) => open_minor),
    exceptions: result.exceptions.map(({ code, invoice_ids, payment_ids }) =>
      [code, ...invoice_ids, ...payment_ids].join(' '),
    ),
    balances: result.control_totals.every(({ balances }) => balances),
    matches: result.matches,
  }
}
const back = (reference: string, more: Partial<Payment> = {}) =>
  paid('P2', -66_000, { paid_at: '2026-01-15', reference, ...more })

verifies('financeops.returns', 'a payment that came back leaves its invoice open', () => {
  const one = (refund: Payment) =>
    workOn([due('INV-1001', 66_000)], [paid('P1', 66_000, { reference: 'INV-1001' }), refund])
  for (const reference of [
    'RETURN INV-1001 AC04',
    'INV-1001 MD06',
    'Rücklastschrift INV-1001',
    'chargeback 4853 INV-1001',
    'ACH RETURN R01 inv 1001',
    'R10',
    'prélèvement impayé',
  ]) {
    const { open, exceptions, balances, matches } = one(back(reference))
    expect(open, reference).toEqual([66_000])
    expect(exceptions, reference).toEqual(['payment_returned INV-1001 P1 P2'])
    expect(balances).toBe(true)
    expect(matches).toHaveLength(1)
    expect(matches[0]).toMatchObject({ invoice_ids: [], payment_ids: ['P1'], refund_ids: ['P2'] })
  }
  const refund = one(back('goodwill'))
  expect(refund.open).toEqual([])
  expect(refund.exceptions).toEqual([])
})

verifies('financeops.returns', 'a payment that is collected again pays its invoice', () => {
  const again = paid('P3', 66_000, { paid_at: '2026-01-20', reference: 'INV-1001' })
  const { open, exceptions } = workOn(
    [due('INV-1001', 66_000)],
    [again, back('AM04 INV-1001'), paid('P1', 66_000, { reference: 'INV-1001' })],
  )
  expect(open).toEqual([])
  expect(exceptions).toEqual(['payment_returned INV-1001 P1 P2'])
})

verifies('financeops.returns', 'of two payments that fit a return none is taken', () => {
  const invoices = [due('INV-1001', 66_000), due('INV-1002', 66_000, { due_at: '2026-01-09' })]
  const payments = [
    paid('P0', 66_000, { reference: 'INV-1001' }),
    paid('P1', 66_000, { reference: 'INV-1002' }),
  ]
  const unclear = workOn(invoices, [...payments, back('returned, AC01')])
  expect(unclear.exceptions).toEqual(['return_without_payment P2'])
  expect(unclear.balances).toBe(true)
  const named = workOn(invoices, [...payments, back('returned INV-1002')])
  expect(named.exceptions).toEqual(['payment_returned INV-1002 P1 P2'])
  const early = workOn(invoices, [...payments, back('INV-1002 AC04', { paid_at: '2026-01-02' })])
  expect(early.exceptions).toEqual(['return_without_payment INV-1002 P2'])
  const stranger = workOn(invoices, [...payments, back('AC04', { counterparty: 'Birch' })])
  expect(stranger.exceptions).toEqual(['return_without_payment P2'])
})

verifies('financeops.matches', 'an id is read with other signs between its parts', () => {
  for (const reference of [
    'INV 1001 rest',
    'inv.1001',
    'invoice INV1001, second part',
    'INV/1001',
  ]) {
    const { matches } = workOn([due('INV-1001', 66_000)], [paid('P1', 20_000, { reference })])
    expect(matches[0], reference).toMatchObject({ basis: 'reference', status: 'partial' })
  }
})

verifies('financeops.credits', 'a credit note that a payment names lowers its invoice', () => {
  const invoices = [due('INV-1001', 66_000), due('INV-1002', 90_000), due('CN-88001', -20_000)]
  for (const reference of [
    'INV-1001 less CN-88001',
    'INV-1001 minus credit CN 88001',
    'inv-1001; CN-88001',
  ]) {
    const { open, matches } = workOn(invoices, [paid('P1', 46_000, { reference })])
    expect(open, reference).toEqual([90_000])
    expect(matches[0]).toMatchObject({ status: 'exact', credit_ids: ['CN-88001'] })
  }
})
