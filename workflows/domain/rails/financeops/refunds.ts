import { groupedBy } from '../../core/grouped-by.ts'
import { partyOf } from './credits.ts'
import { type Item, oldestFirst, sumOf } from './items.ts'
import type { Match } from './match.ts'

/**
 * Lays refunds on over-payments of their party: the one of the same amount, else the largest. A refund of a
 * payment that met no invoice makes a match of both. Changes the matches that are refunded, and returns the new ones.
 */
export function refundOverpaid(matches: Match[], unmatched: Item[], refunds: Item[]): Match[] {
  const over = matches.flatMap((match) => {
    const [first] = match.payments
    const amount = sumOf(match.payments) - sumOf(match.invoices) + sumOf(match.credits ?? [])
    return first === undefined || amount <= 0n ? [] : [{ match, amount, party: partyOf(first) }]
  })
  over.sort(largestFirst)
  const overOf = groupedBy(over, ({ party }) => party)
  const equalTo = groupedBy(over, ({ party, amount }) => `${party} ${amount}`)
  const paidOf = groupedBy(unmatched, (item) => `${partyOf(item)} ${item.open}`)
  return refunds.toSorted(oldestFirst).flatMap((refund): Match[] => {
    const own = overOf.get(partyOf(refund)) ?? []
    while (own[0]?.amount === 0n) own.shift()
    const equal = equalTo.get(`${partyOf(refund)} ${refund.open}`)?.shift()
    const one = equal?.amount === refund.open ? equal : own[0]
    if (one !== undefined && one.amount >= refund.open) {
      one.amount -= refund.open
      one.match.refunds = [...(one.match.refunds ?? []), refund]
      return []
    }
    const payment = paidOf.get(`${partyOf(refund)} ${refund.open}`)?.shift()
    if (payment === undefined) return []
    return [{ basis: 'amount', invoices: [], payments: [payment], refunds: [refund] }]
  })
}

type Over = { match: Match; amount: bigint }

function largestFirst(one: Over, other: Over): number {
  if (one.amount !== other.amount) return one.amount > other.amount ? -1 : 1
  const [first, second] = [one.match.payments[0]?.id ?? '', other.match.payments[0]?.id ?? '']
  return first < second ? -1 : 1
}
