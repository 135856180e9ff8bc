import { dayOf } from '../calendar.ts'
import type { Entry } from '../names.ts'
import { cite } from '../notes.ts'
import type { Citation } from '../rail.ts'
import { inOrder } from '../work.ts'
import type { Invoice, Payment } from './schema.ts'

/** An invoice or a payment that takes part in matching. */
export type Item = {
  id: string
  index: number
  amount: bigint
  currency: string
  counterparty: string | null
  /** Due or paid on this day. */
  day: number
  reference: string
}
/** A row, or rows of one id, that take no part, and why. */
export type SetAside = {
  code: string
  id: string
  currency: string
  amount: bigint
  citations: Citation[]
}
export type List = 'invoices' | 'payments'
export type Sorted = { items: Item[]; setAside: SetAside[] }

/** The order in which money is laid on invoices: oldest first, then by id. */
export const oldestFirst = inOrder<Item>(
  ({ day }) => day,
  ({ id }) => id,
)

/** Parts what can be matched from what cannot: rows that repeat or differ, amounts not above zero, payments after a day. */
export function sortOut(
  list: List,
  entries: Iterable<Entry<Invoice> | Entry<Payment>>,
  lastDay: number | null,
): Sorted {
  const sorted: Sorted = { items: [], setAside: [] }
  const one = list === 'invoices' ? 'invoice' : 'payment'
  for (const { row, index, rows, differ } of entries) {
    const day = dayOf('due_at' in row ? row.due_at : row.paid_at)
    const later = list === 'payments' && lastDay !== null && day > lastDay
    let why: SetAside['code'] | null = null
    if (differ) why = `conflicting_${one}`
    else if (row.amount_minor <= 0) why = `${one}_not_above_zero`
    else if (later) why = 'payment_after_as_of'
    const aside = why === null ? rows.slice(1) : rows
    for (const { row: own, index: at } of aside) {
      const code = why ?? `repeated_${one}`
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
    const { id, currency, counterparty = null } = row
    const reference = 'reference' in row ? (row.reference ?? '') : ''
    sorted.items.push({
      id,
      index,
      amount: BigInt(row.amount_minor),
      currency,
      counterparty,
      day,
      reference,
    })
  }
  sorted.items.sort(oldestFirst)
  return sorted
}

export function sumOf(items: readonly { amount: bigint }[]): bigint {
  return items.reduce((sum, { amount }) => sum + amount, 0n)
}
