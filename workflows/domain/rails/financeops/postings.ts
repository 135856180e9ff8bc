import { toInteger } from '../values/amounts.ts'
import { dayText } from '../values/calendar.ts'
import type { FinanceopsResult } from './schema.ts'
import type { Settled } from './settlement.ts'

type Posting = FinanceopsResult['postings'][number]
type Line = {
  account: Posting['account']
  debit?: bigint
  credit?: bigint
  document: string | null
}

/** Journal lines of the matches, one entry for each: debits and credits of an entry are equal. */
export function postingsOf(settled: Settled[]): Posting[] {
  return settled.flatMap((one, entry) => {
    const last = one.match.payments.reduce((day, payment) => Math.max(day, payment.day), -1)
    const head = { entry, date: last < 0 ? null : dayText(last), currency: one.line.currency }
    return linesOf(one)
      .filter(({ debit = 0n, credit = 0n }) => debit + credit > 0n)
      .map(({ account, debit = 0n, credit = 0n, document }) => {
        const amounts = { debit_minor: toInteger(debit), credit_minor: toInteger(credit) }
        return { ...head, account, ...amounts, document }
      })
  })
}

function linesOf({ match, line, left, discounts, tolerated }: Settled): Line[] {
  const { invoices, payments, refunds = [] } = match
  const credits = line.credited.map(({ credit_id, amount_minor }): Line => {
    return { account: 'receivables', debit: BigInt(amount_minor), document: credit_id }
  })
  return [
    ...payments.map(({ id, amount }): Line => ({ account: 'bank', debit: amount, document: id })),
    ...refunds.map(({ id, amount }): Line => ({ account: 'bank', credit: amount, document: id })),
    ...credits,
    ...[...discounts].map(([{ id }, amount]): Line => {
      return { account: 'discounts', debit: amount, document: id }
    }),
    ...invoices.flatMap((invoice): Line[] => {
      const [open, document] = [left.get(invoice) ?? 0n, invoice.id]
      const cleared = tolerated ? invoice.amount : invoice.amount - open
      const short: Line = { account: 'small_differences', debit: open, document }
      return [...(tolerated ? [short] : []), { account: 'receivables', credit: cleared, document }]
    }),
    ...payments.map((payment): Line => {
      const account = tolerated ? 'small_differences' : 'prepayments'
      return { account, credit: left.get(payment) ?? 0n, document: payment.id }
    }),
    ...refunds.map((refund): Line => {
      return { account: 'prepayments', debit: left.get(refund) ?? 0n, document: refund.id }
    }),
  ]
}
