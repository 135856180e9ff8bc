import { expect, test } from 'vitest'
import {
  FinanceopsHead,
  type FinanceopsInput,
  financeops,
  Invoice,
  Payment,
} from '#domain/rails/financeops/index.ts'
import { hasPython, judged } from './truths.ts'

type Planted = {
  status: string
  invoices: string[]
  payments: string[]
  credits: string[]
  refunds: string[]
}
type Truth = {
  matches: Planted[]
  unmatched: string[]
  codes: Record<string, number>
  ageing: Record<string, number>
  open_minor: number
}

for (const seed of [1, 2, 3])
  test.skipIf(!hasPython)(`financeops finds what Python planted with seed ${seed}`, () => {
    const { input, truth } = judged<{ input: FinanceopsInput; truth: Truth }>('financeops', seed)
    const { invoices, payments, ...head } = input
    FinanceopsHead.parse(head)
    for (const row of invoices) Invoice.parse(row)
    for (const row of payments) Payment.parse(row)
    const { result } = financeops.work(input)
    const found = result.matches.map((one): Planted => {
      return {
        status: one.status,
        invoices: one.invoice_ids.toSorted(),
        payments: one.payment_ids.toSorted(),
        credits: one.credit_ids.toSorted(),
        refunds: one.refund_ids.toSorted(),
      }
    })
    const texts = (planted: Planted[]) =>
      planted
        .map(({ status, ...ids }) => `${status} ${JSON.stringify(Object.values(ids))}`)
        .toSorted()
    expect(texts(found)).toEqual(texts(truth.matches))
    const left = [...result.unmatched_invoices, ...result.unmatched_payments].map(({ id }) => id)
    expect(left.toSorted()).toEqual(truth.unmatched)
    expect(result.ageing).toEqual([
      { currency: 'EUR', ...truth.ageing, open_minor: truth.open_minor },
    ])
    expect(result.control_totals.every(({ balances }) => balances)).toBe(true)
    const counts: Record<string, number> = {}
    for (const { code } of result.exceptions) counts[code] = (counts[code] ?? 0) + 1
    expect(counts).toMatchObject(truth.codes)
  })
