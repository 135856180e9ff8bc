import { groupedBy } from '../../core/grouped-by.ts'
import { type Item, oldestFirst, sumOf } from './items.ts'
import type { Match } from './match.ts'

/** Part of a credit note on an invoice. */
export type Credited = { invoice: Item; credit: Item; amount: bigint }

/** Lays credit notes on the invoices that they state, before anything is matched; returns the invoices and what was laid. */
export function creditStated(
  invoices: Item[],
  credits: Item[],
): { invoices: Item[]; credited: Credited[]; left: Item[] } {
  const open = new Map(invoices.map((invoice) => [invoice.id, { ...invoice }]))
  const credited: Credited[] = []
  const left = credits.map((credit) => {
    const invoice = credit.credits === null ? undefined : open.get(credit.credits)
    if (invoice === undefined || invoice.currency !== credit.currency) return credit
    let amount = invoice.open
    if (credit.open < amount) amount = credit.open
    if (amount === 0n) return credit
    invoice.open -= amount
    credited.push({ invoice, credit, amount })
    return { ...credit, open: credit.open - amount }
  })
  return { invoices: [...open.values()], credited, left: left.filter((credit) => credit.open > 0n) }
}

/** Credit notes that no payment met: each on an invoice of the party with the same open amount, else on its oldest ones. */
export function creditOldest(invoices: Item[], credits: Item[]): Match[] {
  const open = groupedBy(invoices, partyOf)
  return [...groupedBy(credits, partyOf)].flatMap(([party, own]) => {
    const due = open.get(party) ?? []
    const equal = groupedBy(due.toSorted(oldestFirst), (invoice) => invoice.open)
    const [found, rest]: [Match[], Item[]] = [[], []]
    for (const credit of own.toSorted(oldestFirst)) {
      const invoice = equal.get(credit.open)?.shift()
      if (invoice === undefined) rest.push(credit)
      else found.push({ basis: 'credit', invoices: [invoice], payments: [], credits: [credit] })
    }
    const taken = new Set(found.flatMap((one) => one.invoices))
    const left = due.filter((invoice) => !taken.has(invoice)).sort(oldestFirst)
    const needed = upTo(left, rest)
    if (rest.length > 0 && needed.length > 0)
      found.push({ basis: 'credit', invoices: needed, payments: [], credits: rest })
    return found
  })
}

/** The first invoices that the credits reach. */
function upTo(invoices: Item[], credits: Item[]): Item[] {
  let left = credits.reduce((sum, credit) => sum + credit.open, 0n)
  return invoices.filter((invoice) => {
    const reached = left > 0n
    left -= invoice.open
    return reached
  })
}

export function partyOf({ currency, party }: Item): string {
  return `${currency} ${party ?? ''}`
}

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
