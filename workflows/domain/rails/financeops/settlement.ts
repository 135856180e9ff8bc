import { groupedBy } from '../../core/grouped-by.ts'
import type { Citation } from '../rail.ts'
import { toInteger } from '../values/amounts.ts'
import { dayOf } from '../values/calendar.ts'
import { cite } from '../work/notes.ts'
import { inOrder } from '../work/work.ts'
import type { Credited } from './credits.ts'
import { evidenceOf } from './evidence.ts'
import { discountsOf, type Item } from './items.ts'
import { kindOf, type Match } from './match.ts'
import type { Parties } from './parties.ts'
import type { FinanceopsResult } from './schema.ts'

type MatchLine = FinanceopsResult['matches'][number]
type Left = Map<Item, bigint>
/** A match with its money laid on: what is left of each item, open or within the tolerance. */
export type Settled = {
  match: Match
  line: MatchLine
  left: Left
  discounts: Map<Item, bigint>
  tolerated: boolean
}
export type Settling = {
  tolerance: bigint
  parties: Parties
  /** Credit notes on the invoices that they state. */
  credited: Map<Item, Credited[]>
  hasRivals(invoice: Item): boolean
}

/** Lays credit notes and then payments of a match on its invoices, all of them the oldest first. */
export function settle(match: Match, settling: Settling): Settled {
  const { invoices, payments, credits = [], refunds = [] } = match
  const left: Left = new Map([...invoices, ...credits].map((item) => [item, item.open]))
  for (const item of [...payments, ...refunds]) left.set(item, item.amount)
  const stated = invoices.flatMap((invoice) => settling.credited.get(invoice) ?? [])
  const laid = layOn(credits, invoices, left)
  layOn(refunds.toReversed(), payments.toReversed(), left)
  const difference = sumLeft(payments, left) - sumLeft(invoices, left)
  const within = (amount: bigint) => amount <= settling.tolerance && -amount <= settling.tolerance
  const allowed = discountsOf(invoices, payments)
  const discounted =
    !within(difference) && allowed > 0n && payments.length > 0 && within(difference + allowed)
  const discounts = discounted ? takeDiscounts(match, left) : new Map<Item, bigint>()
  const allocations = layOn(payments, invoices, left)
  const status = discounted ? 'discounted' : statusOf(difference, within(difference))
  const credited = [
    ...stated.map(({ invoice, credit, amount }) => ({ to: invoice, from: credit, amount })),
    ...laid,
  ]
  const rivals = invoices.length === 1 && invoices.some((one) => settling.hasRivals(one))
  const line: MatchLine = {
    kind: kindOf(match),
    basis: match.basis,
    status,
    ...evidenceOf(match, status, rivals, settling.parties),
    currency: (invoices[0] ?? payments[0])?.currency ?? '',
    invoice_ids: invoices.map(({ id }) => id),
    payment_ids: payments.map(({ id }) => id),
    credit_ids: [...new Set(credited.map(({ from }) => from.id))],
    refund_ids: refunds.map(({ id }) => id),
    allocations: allocations.map(({ to, from, amount }) => {
      return { invoice_id: to.id, payment_id: from.id, amount_minor: toInteger(amount) }
    }),
    credited: credited.map(({ to, from, amount }) => {
      return { invoice_id: to.id, credit_id: from.id, amount_minor: toInteger(amount) }
    }),
    discount_minor: toInteger([...discounts.values()].reduce((sum, one) => sum + one, 0n)),
    exchanged: payments.flatMap(exchangedLine),
    difference_minor: toInteger(difference),
    citations: [
      ...invoices.map(({ index }) => cite('invoices', index)),
      ...[...new Set(credited.map(({ from }) => from.index))].map((at) => cite('invoices', at)),
      ...[...payments, ...refunds].map(({ index }) => cite('payments', index)),
    ],
  }
  return { match, line, left, discounts, tolerated: discounted || within(difference) }
}

type Laid = { to: Item; from: Item; amount: bigint }

/** Lays what is left of some items on what is left of others, both in their order. */
function layOn(money: Item[], owed: Item[], left: Left): Laid[] {
  const laid: Laid[] = []
  let at = 0
  for (const from of money) {
    for (let to = owed[at]; to !== undefined; to = owed[at]) {
      const [due, paid] = [left.get(to) ?? 0n, left.get(from) ?? 0n]
      if (paid === 0n) break
      const amount = due < paid ? due : paid
      left.set(to, due - amount).set(from, paid - amount)
      if (amount > 0n) laid.push({ to, from, amount })
      if (due === amount) at += 1
    }
  }
  return laid
}

function takeDiscounts({ invoices, payments }: Match, left: Left): Map<Item, bigint> {
  const taken = new Map<Item, bigint>()
  for (const invoice of invoices) {
    const [due, allowed] = [left.get(invoice) ?? 0n, discountsOf([invoice], payments)]
    const amount = due < allowed ? due : allowed
    left.set(invoice, due - amount)
    if (amount > 0n) taken.set(invoice, amount)
  }
  return taken
}

function sumLeft(items: Item[], left: Left): bigint {
  return items.reduce((sum, item) => sum + (left.get(item) ?? 0n), 0n)
}

function exchangedLine({ id, amount, paidAs }: Item): MatchLine['exchanged'] {
  if (paidAs === null) return []
  const citations: Citation[] = [cite('exchange_rates', paidAs.rate)]
  return [
    {
      payment_id: id,
      currency: paidAs.item.currency,
      amount_minor: toInteger(paidAs.item.amount),
      converted_minor: toInteger(amount),
      citations,
    },
  ]
}

function statusOf(difference: bigint, tolerated: boolean): MatchLine['status'] {
  if (difference === 0n) return 'exact'
  if (tolerated) return 'within_tolerance'
  return difference < 0n ? 'partial' : 'over'
}

/** What each invoice is still owed: nothing where its match is within the tolerance. */
export function openOf(settled: Settled[], unmatched: Item[]): { item: Item; open: bigint }[] {
  const matched = settled.flatMap(({ match, left, tolerated }) =>
    match.invoices.map((item) => ({ item, open: tolerated ? 0n : (left.get(item) ?? 0n) })),
  )
  return [...matched, ...unmatched.map((item) => ({ item, open: item.open }))].filter(
    ({ open }) => open > 0n,
  )
}

/** Open amounts by the days that they are overdue on a day. */
export function ageingOf(
  open: { item: Item; open: bigint }[],
  asOf: string,
): NonNullable<FinanceopsResult['ageing']> {
  const today = dayOf(asOf)
  return [...groupedBy(open, ({ item }) => item.currency)]
    .map(([currency, own]) => {
      const between = (from: number, to: number) => {
        const inside = own.filter(({ item }) => from <= today - item.day && today - item.day <= to)
        return toInteger(inside.reduce((sum, one) => sum + one.open, 0n))
      }
      return {
        currency,
        not_due_minor: between(Number.NEGATIVE_INFINITY, 0),
        days_1_30_minor: between(1, 30),
        days_31_60_minor: between(31, 60),
        days_61_90_minor: between(61, 90),
        over_90_minor: between(91, Number.POSITIVE_INFINITY),
        open_minor: between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
      }
    })
    .sort(inOrder(({ currency }) => currency))
}
