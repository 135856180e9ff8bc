import { groupedBy } from '../../core/grouped-by.ts'
import type { Rates } from '../values/exchange.ts'
import { inOrder } from '../work/work.ts'
import { combinations, type Search } from './combinations.ts'
import { type Credited, creditOldest, creditStated, partyOf, refundOverpaid } from './credits.ts'
import { type Exchanged, exchangePayments } from './exchanging.ts'
import { discountsOf, type Item, oldestFirst } from './items.ts'
import type { Match } from './match.ts'
import { readReferences } from './naming.ts'
import { creditsNamed, followReferences } from './references.ts'
import { type Returns, returnedPayments } from './returns.ts'

export type Matching = {
  matches: Match[]
  /** Credit notes on the invoices that they state. */
  credited: Credited[]
  invoices: Item[]
  payments: Item[]
  credits: Item[]
  refunds: Item[]
  foreign: Exchanged['foreign']
  ignored: { payment: Item; named: Item[] }[]
  returns: Returns
  notSearched: number
}
type Sides = { invoices: Item[]; credits: Item[]; payments: Item[]; refunds: Item[] }

/**
 * Matches in this order: payments with what returns them; what references name, where amount and party do not say otherwise; within one party equal amounts, then
 * amounts within the tolerance, discounted amounts, amounts less a credit note, and sums of several; a payment and an invoice that
 * are alone with each other; payments of unknown payers by an amount that only one open invoice has; last, credit notes and
 * refunds that are left. Nothing depends on the order of the rows.
 */
export function match(sides: Sides, tolerance: bigint, rates: Rates): Matching {
  const named = creditsNamed(sides.invoices, sides.credits, sides.payments)
  const stated = creditStated(sides.invoices, named)
  const invoices = stated.invoices.filter(({ open }) => open > 0n)
  const namedBy = readReferences(invoices)
  const namesOf = (item: Item) => Object.values(namedBy(item)).flat()
  const returns = returnedPayments(sides.payments, sides.refunds, namesOf)
  const back = new Set(returns.returned.flatMap(({ payment, refund }) => [payment, refund]))
  const kept = sides.payments.filter((payment) => !back.has(payment))
  const refunds = sides.refunds.filter((refund) => !back.has(refund))
  const { payments, foreign } = exchangePayments(invoices, kept, namedBy, rates)
  const { groups, ignored } = followReferences(invoices, payments, namedBy, tolerance)
  const matches: Match[] = []
  const taken = new Set<Item>()
  const accept = (found: Match[]) => {
    for (const one of found) {
      for (const item of itemsOf(one)) taken.add(item)
      matches.push(one)
    }
  }
  const left = (items: Item[]) => items.filter((item) => !taken.has(item))
  const search = combinations(tolerance)
  accept(returns.returned.map(returnedMatch))
  accept(stated.invoices.filter(({ open }) => open === 0n).map(credited))
  accept(groups.map((group): Match => ({ basis: 'reference', ...group })))
  const [paidBy, owedBy] = [groupedBy(left(payments), partyOf), groupedBy(left(invoices), partyOf)]
  const creditBy = groupedBy(stated.left, partyOf)
  for (const party of [...paidBy.keys()].sort()) {
    const known = (paidBy.get(party) ?? []).filter((payment) => payment.party !== null)
    const credits = creditBy.get(party) ?? []
    accept(withinParty({ due: owedBy.get(party) ?? [], paid: known, credits }, tolerance, search))
  }
  accept(byAmountAlone(left(invoices), left(payments)))
  accept(creditOldest(left(invoices), left(stated.left)))
  const withCredit = new Set(stated.credited.map(({ invoice }) => invoice))
  accept(
    left(invoices)
      .filter((invoice) => withCredit.has(invoice))
      .map(credited),
  )
  accept(refundOverpaid(matches, left(payments), refunds))
  const refunded = new Set(matches.flatMap(({ refunds = [] }) => refunds))
  return {
    matches,
    credited: stated.credited,
    invoices: left(invoices),
    payments: left(payments).map((payment) => payment.paidAs?.item ?? payment),
    credits: left(stated.left),
    refunds: refunds.filter((refund) => !refunded.has(refund)),
    foreign,
    ignored,
    returns,
    notSearched: search.notSearched(),
  }
}

function itemsOf({ invoices, payments, credits = [], refunds = [] }: Match): Item[] {
  return [...invoices, ...payments, ...credits, ...refunds]
}

function returnedMatch({ payment, refund, named }: Returns['returned'][number]): Match {
  const basis = named.length > 0 ? 'reference' : 'amount'
  return { basis, invoices: [], payments: [payment], refunds: [refund] }
}

const credited = (invoice: Item): Match => ({ basis: 'credit', invoices: [invoice], payments: [] })

type Own = { due: Item[]; paid: Item[]; credits: Item[] }

/** What is open of a party: every step leaves to the next what it did not match. */
function withinParty(own: Own, tolerance: bigint, search: Search): Match[] {
  const found: Match[] = []
  let { due, paid, credits } = own
  const accept = (matches: Match[]) => {
    if (matches.length === 0) return
    found.push(...matches)
    const taken = new Set(matches.flatMap(itemsOf))
    const rest = (items: Item[]) => items.filter((item) => !taken.has(item))
    due = rest(due)
    paid = rest(paid)
    credits = rest(credits)
  }
  accept(pairs(due, paid, 0n))
  if (tolerance > 0n) accept(pairs(due, paid, tolerance))
  accept(discountedPairs(due, paid, tolerance))
  accept(lessCredit(due, paid, credits))
  const hasDiscounts = due.some(({ discount }) => discount !== null)
  const reducedSum = (payment: Item) =>
    hasDiscounts && !search.isOver() ? discountedSum(payment, due, search) : null
  for (const payment of paid) {
    const several = search.find(payment.open, due) ?? reducedSum(payment)
    if (several !== null) accept([{ basis: 'combination', invoices: several, payments: [payment] }])
  }
  for (const invoice of due) {
    const several = search.find(invoice.open, paid)
    if (several !== null) accept([{ basis: 'combination', invoices: [invoice], payments: several }])
  }
  const [invoice, payment] = [due[0], paid[0]]
  if (invoice !== undefined && payment !== undefined && due.length + paid.length === 2)
    accept([{ basis: 'only_candidate', invoices: [invoice], payments: [payment] }])
  return found
}

const smallestFirst = inOrder<Item>(
  ({ open }) => Number(open),
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
      payment.open - invoice.open <= tolerance && invoice.open - payment.open <= tolerance
    if (fits) found.push({ basis: 'amount', invoices: [invoice], payments: [payment] })
    if (fits || invoice.open < payment.open) at += 1
    if (fits || invoice.open > payment.open) by += 1
  }
}

/** Payments in time of an invoice less its discount: both lists from the smallest amount and the first day. */
function discountedPairs(invoices: Item[], payments: Item[], tolerance: bigint): Match[] {
  const due = invoices.flatMap((invoice) => {
    const { open, discount, day, id } = invoice
    if (discount === null) return []
    return [{ invoice, open: open - discount.amount, lastDay: discount.lastDay, day, id }]
  })
  due.sort(
    inOrder(
      ({ open }) => Number(open),
      ({ lastDay }) => lastDay,
      ({ day }) => day,
      ({ id }) => id,
    ),
  )
  const paid = payments.toSorted(smallestFirst)
  const found: Match[] = []
  let [at, by] = [0, 0]
  for (;;) {
    const [one, payment] = [due[at], paid[by]]
    if (one === undefined || payment === undefined) return found
    const tooMuch = payment.open - one.open > tolerance
    const tooLittle = one.open - payment.open > tolerance
    const fits = !tooMuch && !tooLittle && payment.day <= one.lastDay
    if (fits) found.push({ basis: 'amount', invoices: [one.invoice], payments: [payment] })
    if (!tooLittle) at += 1
    if (fits || tooLittle) by += 1
  }
}

/** The fewest invoices whose sum, less the discounts that a payment is in time for, is what was paid. */
function discountedSum(payment: Item, due: Item[], search: Search): Item[] | null {
  const reduced = new Map(
    due.map((invoice) => {
      const open = invoice.open - discountsOf([invoice], [payment])
      return [open === invoice.open ? invoice : { ...invoice, open }, invoice]
    }),
  )
  if ([...reduced].every(([item, invoice]) => item === invoice)) return null
  const several = search.find(payment.open, [...reduced.keys()])
  return several?.map((item) => reduced.get(item) ?? item) ?? null
}

/** Payments and credit notes of a party for which each two are tried. */
const CREDIT_PAIRS_MAX = 1_000_000

/** Payments that are an invoice less one credit note. */
function lessCredit(invoices: Item[], payments: Item[], credits: Item[]): Match[] {
  if (payments.length * credits.length > CREDIT_PAIRS_MAX) return []
  const byAmount = groupedBy(invoices.toSorted(oldestFirst), ({ open }) => open)
  const left = new Set(credits.toSorted(oldestFirst))
  return payments.toSorted(oldestFirst).flatMap((payment): Match[] => {
    for (const credit of left) {
      const invoice = byAmount.get(payment.open + credit.open)?.shift()
      if (invoice === undefined) continue
      left.delete(credit)
      return [{ basis: 'amount', invoices: [invoice], payments: [payment], credits: [credit] }]
    }
    return []
  })
}

/** Payments of unknown payers: each with an invoice if no other payment and no other open invoice has the amount. */
function byAmountAlone(invoices: Item[], payments: Item[]): Match[] {
  const unknown = payments.filter(({ party }) => party === null)
  return onlyEqual(invoices, unknown).map(({ invoice, payment }): Match => {
    return { basis: 'amount', invoices: [invoice], payments: [payment] }
  })
}

/** Invoices and payments of an amount that no other of either has. */
export function onlyEqual(invoices: Item[], payments: Item[]): { invoice: Item; payment: Item }[] {
  const keyOf = ({ currency, open }: Item) => `${currency} ${open}`
  const due = groupedBy(invoices, keyOf)
  return [...groupedBy(payments, keyOf)].flatMap(([key, [payment, another]]) => {
    const [invoice, second] = due.get(key) ?? []
    const isOnly = another === undefined && second === undefined
    return payment !== undefined && invoice !== undefined && isOnly ? [{ invoice, payment }] : []
  })
}
