import { groupedBy } from '../../core/grouped-by.ts'
import { toInteger } from '../amounts.ts'
import { dayOf } from '../calendar.ts'
import { cite } from '../notes.ts'
import { inOrder } from '../work.ts'
import type { Item, SetAside } from './items.ts'
import { differenceOf, kindOf, type Match } from './matching.ts'
import type { Side } from './rows.ts'
import type { FinanceopsResult } from './schema.ts'

type MatchLine = FinanceopsResult['matches'][number]
type Totals = FinanceopsResult['control_totals'][number]
type SideTotals = Totals['invoices']
/** A match with its money laid on: what is left of each invoice and payment, open or within the tolerance. */
export type Settled = { match: Match; line: MatchLine; left: Map<Item, bigint>; tolerated: boolean }

/** Lays the payments of a match on its invoices, both the oldest first. */
export function settle(match: Match, tolerance: bigint): Settled {
  const left = new Map([...match.invoices, ...match.payments].map((item) => [item, item.amount]))
  const allocations: MatchLine['allocations'] = []
  let at = 0
  for (const payment of match.payments) {
    for (let invoice = match.invoices[at]; invoice !== undefined; invoice = match.invoices[at]) {
      if ((left.get(payment) ?? 0n) === 0n) break
      const [due, paid] = [left.get(invoice) ?? 0n, left.get(payment) ?? 0n]
      const amount = due < paid ? due : paid
      left.set(invoice, due - amount).set(payment, paid - amount)
      allocations.push({
        invoice_id: invoice.id,
        payment_id: payment.id,
        amount_minor: toInteger(amount),
      })
      if (due === amount) at += 1
    }
  }
  const difference = differenceOf(match)
  const tolerated = difference <= tolerance && -difference <= tolerance
  const line: MatchLine = {
    kind: kindOf(match),
    basis: match.basis,
    status: statusOf(difference, tolerated),
    currency: match.invoices[0]?.currency ?? '',
    invoice_ids: match.invoices.map(({ id }) => id),
    payment_ids: match.payments.map(({ id }) => id),
    allocations,
    difference_minor: toInteger(difference),
    citations: [
      ...match.invoices.map(({ index }) => cite('invoices', index)),
      ...match.payments.map(({ index }) => cite('payments', index)),
    ],
  }
  return { match, line, left, tolerated }
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
  return [...matched, ...unmatched.map((item) => ({ item, open: item.amount }))].filter(
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

type Came = Side<unknown>['totals']

/** Both sides by currency, as the rows came in and as they were dealt with. */
export function controlTotals(
  came: { invoices: Came; payments: Came },
  aside: { invoices: SetAside[]; payments: SetAside[] },
  settled: Settled[],
  unmatched: { invoices: Item[]; payments: Item[] },
): Totals[] {
  const currencies = new Set([...came.invoices.keys(), ...came.payments.keys()])
  const settledBy = groupedBy(settled, ({ line }) => line.currency)
  const asideBy = {
    invoices: sumsByCurrency(aside.invoices),
    payments: sumsByCurrency(aside.payments),
  }
  const unmatchedBy = {
    invoices: sumsByCurrency(unmatched.invoices),
    payments: sumsByCurrency(unmatched.payments),
  }
  return [...currencies].sort().map((currency) => {
    const own = settledBy.get(currency) ?? []
    const side = (list: 'invoices' | 'payments'): SideTotals => {
      const rest = (wanted: boolean) =>
        own
          .filter(({ tolerated }) => tolerated === wanted)
          .flatMap(({ match, left }) => match[list].map((item) => left.get(item) ?? 0n))
          .reduce((sum, amount) => sum + amount, 0n)
      const allocated = own
        .flatMap(({ line }) => line.allocations)
        .reduce((sum, { amount_minor }) => sum + BigInt(amount_minor), 0n)
      return {
        rows: came[list].get(currency)?.rows ?? 0,
        total_minor: toInteger(came[list].get(currency)?.amount ?? 0n),
        set_aside_minor: toInteger(asideBy[list].get(currency) ?? 0n),
        allocated_minor: toInteger(allocated),
        tolerated_minor: toInteger(rest(true)),
        left_minor: toInteger(rest(false) + (unmatchedBy[list].get(currency) ?? 0n)),
      }
    }
    const [invoices, payments] = [side('invoices'), side('payments')]
    return { currency, invoices, payments, balances: balances(invoices) && balances(payments) }
  })
}

function sumsByCurrency(
  items: readonly { currency: string; amount: bigint }[],
): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { currency, amount } of items) sums.set(currency, (sums.get(currency) ?? 0n) + amount)
  return sums
}

function balances(side: SideTotals): boolean {
  return (
    side.total_minor ===
    side.set_aside_minor + side.allocated_minor + side.tolerated_minor + side.left_minor
  )
}
