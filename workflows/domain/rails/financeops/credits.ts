import { groupedBy } from '../../core/grouped-by.ts'
import { type Item, oldestFirst } from './items.ts'
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
