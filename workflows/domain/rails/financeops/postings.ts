import { divideRounded, toInteger } from '../values/amounts.ts'
import { dayText } from '../values/calendar.ts'
import type { Item } from './items.ts'
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

/** The fee of a payment; that of a converted one is converted as it was. */
const feeOf = ({ fee, amount, paidAs }: Item): bigint =>
  paidAs === null ? fee : divideRounded(fee * amount, paidAs.item.amount)

function linesOf({ match, line, left, discounts, tolerated }: Settled): Line[] {
  const { invoices, payments, refunds = [] } = match
  const credits = line.credited.map(({ credit_id, amount_minor }): Line => {
    return { account: 'receivables', debit: BigInt(amount_minor), document: credit_id }
  })
  return [
    ...payments.flatMap((payment): Line[] => {
      const fee = feeOf(payment)
      const document = payment.id
      const bank: Line = { account: 'bank', debit: payment.amount - fee, document }
      return [bank, { account: 'fees', debit: fee, document }]
    }),
    ...refunds.flatMap(({ id, amount, fee }): Line[] => {
      const bank: Line = { account: 'bank', credit: amount + fee, document: id }
      return [bank, { account: 'fees', debit: fee, document: id }]
    }),
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
