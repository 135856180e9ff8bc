import { groupedBy } from '../../core/grouped-by.ts'
import { toInteger } from '../values/amounts.ts'
import type { Item, List, SetAside } from './items.ts'
import type { Matching } from './matching.ts'
import type { Side } from './rows.ts'
import type { FinanceopsResult } from './schema.ts'
import type { Settled } from './settlement.ts'

type Totals = FinanceopsResult['control_totals'][number]
type SideTotals = Totals['invoices']
type Came = Side<unknown>['totals']
type Part = readonly [currency: string, amount: bigint]

/** Both sides by currency, as the rows came in and as they were dealt with. */
export function controlTotals(
  came: Record<List, Came>,
  aside: Record<List, SetAside[]>,
  settled: Settled[],
  unmatched: Matching,
): Totals[] {
  const currencies = [...new Set([...came.invoices.keys(), ...came.payments.keys()])].sort()
  const parts = {
    invoices: invoiceParts(settled, unmatched),
    payments: paymentParts(settled, unmatched),
  }
  const allocated = sums(
    settled.flatMap(({ line }) =>
      line.allocations.map((one): Part => [line.currency, BigInt(one.amount_minor)]),
    ),
  )
  const asideOf = {
    invoices: sums(aside.invoices.map((one): Part => [one.currency, one.amount])),
    payments: sums(aside.payments.map((one): Part => [one.currency, one.amount])),
  }
  return currencies.map((currency) => {
    const side = (list: List): SideTotals => {
      const of = (amounts: Map<string, bigint>) => toInteger(amounts.get(currency) ?? 0n)
      const { tolerated, discounted, exchanged, left } = parts[list]
      return {
        rows: came[list].get(currency)?.rows ?? 0,
        total_minor: toInteger(came[list].get(currency)?.amount ?? 0n),
        set_aside_minor: of(asideOf[list]),
        allocated_minor: of(allocated),
        tolerated_minor: of(tolerated),
        discounted_minor: of(discounted),
        exchanged_minor: of(exchanged),
        left_minor: of(left),
      }
    }
    const [invoices, payments] = [side('invoices'), side('payments')]
    return { currency, invoices, payments, balances: balances(invoices) && balances(payments) }
  })
}

type Parts = Record<'tolerated' | 'discounted' | 'exchanged' | 'left', Map<string, bigint>>

/** What is left of a credit note counts below zero, as it came in. */
function invoiceParts(settled: Settled[], unmatched: Matching): Parts {
  const rest = (wanted: boolean) => restOf(settled, wanted, ({ invoices }) => invoices)
  const credits = settled.flatMap(({ match, left }) =>
    (match.credits ?? []).map((item): Part => [item.currency, -(left.get(item) ?? 0n)]),
  )
  return {
    tolerated: sums(rest(true)),
    discounted: sums(
      settled.flatMap(({ discounts }) =>
        [...discounts].map(([item, amount]): Part => [item.currency, amount]),
      ),
    ),
    exchanged: new Map(),
    left: sums([
      ...rest(false),
      ...credits,
      ...unmatched.invoices.map((item): Part => [item.currency, item.open]),
      ...unmatched.credits.map((item): Part => [item.currency, -item.open]),
    ]),
  }
}

/** A converted payment leaves its currency and comes into the other, where it counts below zero. */
function paymentParts(settled: Settled[], unmatched: Matching): Parts {
  const rest = (wanted: boolean) => restOf(settled, wanted, ({ payments }) => payments)
  const refunds = settled.flatMap(({ match, left }) =>
    (match.refunds ?? []).map((item): Part => [item.currency, -(left.get(item) ?? 0n)]),
  )
  const exchanged = settled.flatMap(({ match }) =>
    match.payments.flatMap(({ currency, amount, paidAs }): Part[] => {
      if (paidAs === null) return []
      return [
        [currency, -amount],
        [paidAs.item.currency, paidAs.item.amount],
      ]
    }),
  )
  return {
    tolerated: sums(rest(true)),
    discounted: new Map(),
    exchanged: sums(exchanged),
    left: sums([
      ...rest(false),
      ...refunds,
      ...unmatched.payments.map((item): Part => [item.currency, item.open]),
      ...unmatched.refunds.map((item): Part => [item.currency, -item.open]),
    ]),
  }
}

function restOf(
  settled: Settled[],
  wanted: boolean,
  itemsOf: (match: Settled['match']) => Item[],
): Part[] {
  return settled
    .filter(({ tolerated }) => tolerated === wanted)
    .flatMap(({ match, left }) =>
      itemsOf(match).map((item): Part => [item.currency, left.get(item) ?? 0n]),
    )
}

function sums(parts: readonly Part[]): Map<string, bigint> {
  return new Map(
    [...groupedBy(parts, ([currency]) => currency)].map(([currency, own]) => [
      currency,
      own.reduce((sum, [, amount]) => sum + amount, 0n),
    ]),
  )
}

function balances(side: SideTotals): boolean {
  const parts =
    side.set_aside_minor +
    side.allocated_minor +
    side.tolerated_minor +
    side.discounted_minor +
    side.exchanged_minor +
    side.left_minor
  return side.total_minor === parts
}
