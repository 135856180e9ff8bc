import type { Entry } from '../input/names.ts'
import type { Citation } from '../rail.ts'
import { divideRounded, toMicro } from '../values/amounts.ts'
import { dayOf } from '../values/calendar.ts'
import { cite } from '../work/notes.ts'
import { inOrder } from '../work/work.ts'
import type { AsideCode, Invoice, Payment } from './schema.ts'

/** An invoice or a payment that takes part in matching. */
export type Item = {
  id: string
  index: number
  amount: bigint
  /** The amount less the credit notes for it. */
  open: bigint
  currency: string
  counterparty: string | null
  /** The party that the name stands for; null where there is no name. */
  party: string | null
  /** Due or paid on this day. */
  day: number
  reference: string
  /** The invoice that a credit note is for. */
  credits: string | null
  /** What may be kept back by payment on this day at the latest. */
  discount: { amount: bigint; lastDay: number } | null
  /** What a processor kept back of a payment, in the currency in which it was paid. */
  fee: bigint
  /** A converted payment as it was paid. */
  paidAs: { item: Item; rate: number } | null
}
/** A row, or rows of one id, that take no part, and why. */
export type SetAside = {
  code: AsideCode
  id: string
  currency: string
  amount: bigint
  citations: Citation[]
}
export type List = 'invoices' | 'payments'
/** `items` are above zero; `negative` are credit notes or refunds, with what they are worth. */
export type Sorted = { items: Item[]; negative: Item[]; setAside: SetAside[] }

/** The order in which money is laid on invoices: oldest first, then by id. */
export const oldestFirst = inOrder<Item>(
  ({ day }) => day,
  ({ id }) => id,
)

/** Parts what can be matched from what cannot: rows that repeat or differ, amounts of zero, payments after a day. */
export function sortOut(
  list: List,
  entries: Iterable<Entry<Invoice> | Entry<Payment>>,
  lastDay: number | null,
  partyOf: (name: string) => string,
): Sorted {
  const sorted: Sorted = { items: [], negative: [], setAside: [] }
  const one = list === 'invoices' ? 'invoice' : 'payment'
  for (const { row, index, rows, differ } of entries) {
    const day = dayOf(('due_at' in row ? row.due_at : row.paid_at).slice(0, 10))
    const later = list === 'payments' && lastDay !== null && day > lastDay
    let why: SetAside['code'] | null = null
    if (differ) why = `conflicting_${one}`
    else if (row.amount_minor === 0) why = `${one}_of_zero`
    else if (later) why = 'payment_after_as_of'
    const aside = why === null ? rows.slice(1) : rows
    for (const { row: own, index: at } of aside) {
      const code: AsideCode = why ?? `repeated_${one}`
      const { id, currency } = own
      sorted.setAside.push({
        code,
        id,
        currency,
        amount: BigInt(own.amount_minor),
        citations: [cite(list, at)],
      })
    }
    if (why !== null) continue
    const item = itemOf(row, index, day, partyOf)
    if (row.amount_minor > 0) sorted.items.push(item)
    else sorted.negative.push(item)
  }
  sorted.items.sort(oldestFirst)
  sorted.negative.sort(oldestFirst)
  return sorted
}

function itemOf(
  row: Invoice | Payment,
  index: number,
  day: number,
  partyOf: (name: string) => string,
): Item {
  const { id, currency, counterparty = null } = row
  const amount = BigInt(Math.abs(row.amount_minor))
  return {
    id,
    index,
    amount,
    open: amount,
    currency,
    counterparty,
    party: counterparty === null ? null : partyOf(counterparty),
    day,
    reference: 'reference' in row ? (row.reference ?? '') : '',
    credits: 'credits' in row ? (row.credits ?? null) : null,
    discount: 'due_at' in row ? discountOf(row, amount) : null,
    fee: 'fee_minor' in row ? BigInt(row.fee_minor ?? 0) : 0n,
    paidAs: null,
  }
}

/** Rounded half away from zero. */
function discountOf(
  { discount_percent, discount_until }: Invoice,
  amount: bigint,
): Item['discount'] {
  if (discount_percent === undefined || discount_until === undefined) return null
  const share = amount * toMicro(discount_percent)
  return { amount: divideRounded(share, 100_000_000n), lastDay: dayOf(discount_until) }
}

export function sumOf(items: readonly { open: bigint }[]): bigint {
  return items.reduce((sum, { open }) => sum + open, 0n)
}

/** The discounts that the terms of invoices allow for payments of these days. */
export function discountsOf(invoices: readonly Item[], payments: readonly Item[]): bigint {
  const last = payments.reduce((day, payment) => Math.max(day, payment.day), 0)
  return invoices.reduce((sum, { discount }) => {
    return discount !== null && last <= discount.lastDay ? sum + discount.amount : sum
  }, 0n)
}
