import { groupedBy } from '../../core/grouped-by.ts'
import { inOrder } from '../work.ts'
import { combinations, type Search } from './combinations.ts'
import { disjointSets } from './disjoint-sets.ts'
import { type Item, oldestFirst, sumOf } from './items.ts'
import type { FinanceopsResult } from './schema.ts'

type Basis = FinanceopsResult['matches'][number]['basis']
export type Match = { basis: Basis; invoices: Item[]; payments: Item[] }
export type Matching = {
  matches: Match[]
  invoices: Item[]
  payments: Item[]
  /** Payments whose reference names an invoice of another currency. */
  foreign: Item[]
  notSearched: number
}

/**
 * Matches in this order: what references name; within one counterparty equal amounts, then amounts within the tolerance, then sums
 * of several; a payment and an invoice that are alone with each other; last, payments of unknown payers by an amount that only one
 * open invoice has. Nothing depends on the order of the rows.
 */
export function match(invoices: Item[], payments: Item[], tolerance: bigint): Matching {
  const { matches, foreign } = byReference(invoices, payments)
  const taken = new Set(matches.flatMap((one) => [...one.invoices, ...one.payments]))
  const search = combinations(tolerance)
  const open = () => invoices.filter((item) => !taken.has(item))
  const left = () => payments.filter((item) => !taken.has(item))
  const accept = (found: Match[]) => {
    for (const one of found) {
      for (const item of [...one.invoices, ...one.payments]) taken.add(item)
      matches.push(one)
    }
  }
  const paidBy = groupedBy(left(), partyOf)
  const owedBy = groupedBy(open(), partyOf)
  for (const party of [...paidBy.keys()].sort()) {
    const [own, due] = [paidBy.get(party) ?? [], owedBy.get(party) ?? []]
    const known = own.filter(({ counterparty }) => counterparty !== null)
    accept(withinParty(due, known, tolerance, search))
  }
  accept(byAmountAlone(open(), left()))
  return { matches, invoices: open(), payments: left(), foreign, notSearched: search.notSearched() }
}

/** Invoices and payments that references join, directly or through each other. */
function byReference(invoices: Item[], payments: Item[]): { matches: Match[]; foreign: Item[] } {
  const byId = new Map(invoices.map((invoice) => [invoice.id.toLowerCase(), invoice]))
  const joined = disjointSets<Item>()
  const foreign: Item[] = []
  const named: { payment: Item; first: Item }[] = []
  for (const payment of payments) {
    const found = wordsOf(payment.reference).flatMap((word) => byId.get(word) ?? [])
    const own = [...new Set(found)].filter(({ currency }) => currency === payment.currency)
    if (found.length > 0 && own.length === 0) foreign.push(payment)
    const [first] = own
    if (first === undefined) continue
    for (const invoice of own) joined.join(first, invoice)
    named.push({ payment, first })
  }
  const matches = new Map<Item, Match>()
  for (const invoice of joined.items()) {
    const root = joined.rootOf(invoice)
    const group = matches.get(root)
    if (group === undefined)
      matches.set(root, { basis: 'reference', invoices: [invoice], payments: [] })
    else group.invoices.push(invoice)
  }
  for (const { payment, first } of named) matches.get(joined.rootOf(first))?.payments.push(payment)
  for (const one of matches.values()) {
    one.invoices.sort(oldestFirst)
    one.payments.sort(oldestFirst)
  }
  return { matches: [...matches.values()], foreign }
}

/** Names of a counterparty are the same but for case and spaces. */
function partyOf({ currency, counterparty }: Item): string {
  return `${currency} ${counterparty?.toLowerCase().replace(/\s+/g, ' ').trim() ?? ''}`
}

/** The whole reference and its words, as ids may be written in it. */
function wordsOf(reference: string): string[] {
  const text = reference.toLowerCase()
  return [
    text.trim(),
    ...text.split(/[\s,;:|()[\]"']+/).map((word) => word.replace(/^[#.]+|[.]+$/g, '')),
  ].filter((word) => word !== '')
}

function withinParty(
  invoices: Item[],
  payments: Item[],
  tolerance: bigint,
  search: Search,
): Match[] {
  const equal = pairs(invoices, payments, 0n)
  const near =
    tolerance === 0n ? [] : pairs(without(invoices, equal), without(payments, equal), tolerance)
  const found = [...equal, ...near]
  let due = without(invoices, found)
  for (const payment of without(payments, found)) {
    const several = search.find(payment.amount, due)
    if (several === null) continue
    found.push({ basis: 'combination', invoices: several, payments: [payment] })
    due = withoutItems(due, several)
  }
  let paid = without(payments, found)
  for (const invoice of due) {
    const several = search.find(invoice.amount, paid)
    if (several === null) continue
    found.push({ basis: 'combination', invoices: [invoice], payments: several })
    paid = withoutItems(paid, several)
  }
  const [invoice, ...moreInvoices] = without(due, found)
  const [payment, ...morePayments] = paid
  if (
    invoice !== undefined &&
    payment !== undefined &&
    moreInvoices.length + morePayments.length === 0
  ) {
    found.push({ basis: 'only_candidate', invoices: [invoice], payments: [payment] })
  }
  return found
}

const smallestFirst = inOrder<Item>(
  ({ amount }) => Number(amount),
  ({ day }) => day,
  ({ id }) => id,
)

/** As many pairs as there can be of amounts at most so far apart: both lists from the smallest amount, the nearer ones together. */
function pairs(invoices: Item[], payments: Item[], tolerance: bigint): Match[] {
  const [due, paid] = [invoices.toSorted(smallestFirst), payments.toSorted(smallestFirst)]
  const found: Match[] = []
  let [at, by] = [0, 0]
  for (;;) {
    const [invoice, payment] = [due[at], paid[by]]
    if (invoice === undefined || payment === undefined) return found
    const fits =
      payment.amount - invoice.amount <= tolerance && invoice.amount - payment.amount <= tolerance
    if (fits) found.push({ basis: 'amount', invoices: [invoice], payments: [payment] })
    if (fits || invoice.amount < payment.amount) at += 1
    if (fits || invoice.amount > payment.amount) by += 1
  }
}

/** Payments of unknown payers: each with an invoice if no other payment and no other open invoice has the amount. */
function byAmountAlone(invoices: Item[], payments: Item[]): Match[] {
  const keyOf = ({ currency, amount }: Item) => `${currency} ${amount}`
  const due = groupedBy(invoices, keyOf)
  const unknown = payments.filter(({ counterparty }) => counterparty === null)
  return [...groupedBy(unknown, keyOf)].flatMap(([key, own]): Match[] => {
    const [payment, another] = own
    const [invoice, second] = due.get(key) ?? []
    if (
      payment === undefined ||
      invoice === undefined ||
      another !== undefined ||
      second !== undefined
    )
      return []
    return [{ basis: 'amount', invoices: [invoice], payments: [payment] }]
  })
}

function withoutItems(items: Item[], some: Item[]): Item[] {
  const taken = new Set(some)
  return items.filter((item) => !taken.has(item))
}

function without(items: Item[], matches: Match[]): Item[] {
  if (matches.length === 0) return items
  const taken = new Set(matches.flatMap(({ invoices, payments }) => [...invoices, ...payments]))
  return items.filter((item) => !taken.has(item))
}

export function kindOf({ invoices, payments }: Match): FinanceopsResult['matches'][number]['kind'] {
  if (payments.length === 1) return invoices.length === 1 ? 'one_to_one' : 'one_to_many'
  return invoices.length === 1 ? 'many_to_one' : 'many_to_many'
}

/** Paid less invoiced. */
export function differenceOf({ invoices, payments }: Match): bigint {
  return sumOf(payments) - sumOf(invoices)
}
