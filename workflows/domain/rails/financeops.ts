import { groupedBy } from '../core/grouped-by.ts'
import { toInteger } from './amounts.ts'
import { byRows } from './by-rows.ts'
import { dayOf } from './calendar.ts'
import { CANDIDATES_MAX } from './financeops/combinations.ts'
import { exceptionsOf } from './financeops/exceptions.ts'
import { type Item, type List, sortOut } from './financeops/items.ts'
import { match } from './financeops/matching.ts'
import { emptySide, type Side, takeRow } from './financeops/rows.ts'
import {
  FinanceopsHead,
  type FinanceopsInput,
  FinanceopsResult,
  Invoice,
  Payment,
} from './financeops/schema.ts'
import { ageingOf, controlTotals, openOf, settle } from './financeops/settlement.ts'
import { financeopsInput } from './fixtures/financeops.ts'
import { cite, notes } from './notes.ts'
import type { Rail, Work } from './rail.ts'
import { inOrder } from './work.ts'

const details = {
  exceptions: (count: number) => `exceptions that somebody has to look at: ${count}`,
  unmatched_invoices: (count: number) => `invoices that no payment meets: ${count}`,
  unmatched_payments: (count: number) => `payments that meet no invoice: ${count}`,
  no_as_of: () => 'no day is given: open amounts are not aged, and no payment is left out as later',
  set_aside: (count: number) => `ids whose rows differ, none of which is matched: ${count}`,
  combinations_not_searched: (count: number) =>
    `items for which sums of several were not all tried, because of more than ${CANDIDATES_MAX} candidates or of the steps: ${count}`,
}

/**
 * Reconciles invoices with payments: by reference, by amount within a tolerance, by bounded sums of several; reports partial and
 * over-payments, duplicates, what is open by age, and control totals in which every row is found again.
 */
export const financeops: Rail<FinanceopsInput, FinanceopsResult> = {
  key: 'financeops',
  about: {
    summary:
      'Matches invoices with payments, ages what is open and balances every row in control totals.',
    capabilities: [
      'reconcile invoices and bank payments',
      'match payments by reference, amount and tolerance',
      'find duplicate, partial and over-payments',
      'accounts receivable ageing report',
      'control totals of a ledger',
    ],
  },
  takes: {
    paidAgentUse: false,
    quickstart: true,
    pricingModelV2: false,
    controlledLoop: 'current',
    offer: true,
    requestedTool: false,
  },
  prices: { entry: 99, standard: 199, pro: 399 },
  result: FinanceopsResult,
  sandboxInput: financeopsInput,
  parameters: ['tolerance_minor', 'as_of'],
  ...byRows({
    head: FinanceopsHead,
    lists: { invoices: Invoice, payments: Payment },
    open(head) {
      const came = { invoices: emptySide<Invoice>(), payments: emptySide<Payment>() }
      return {
        take: {
          invoices: (row, index) => takeRow(came.invoices, row, index),
          payments: (row, index) => takeRow(came.payments, row, index),
        },
        close: () => reconcile(head, came),
      }
    },
  }),
}

function reconcile(
  head: FinanceopsHead,
  came: { invoices: Side<Invoice>; payments: Side<Payment> },
): Work<FinanceopsResult> {
  const lastDay = head.as_of === undefined ? null : dayOf(head.as_of)
  const tolerance = BigInt(head.tolerance_minor ?? 0)
  const invoices = sortOut('invoices', came.invoices.entries.values(), lastDay)
  const payments = sortOut('payments', came.payments.entries.values(), lastDay)
  const matching = match(invoices.items, payments.items, tolerance)
  const settled = matching.matches
    .map((one) => settle(one, tolerance))
    .sort(inOrder(({ line }) => JSON.stringify(line.invoice_ids)))
  const aside = { invoices: invoices.setAside, payments: payments.setAside }
  const result: FinanceopsResult = {
    matches: settled.map(({ line }) => line),
    unmatched_invoices: unmatchedOf('invoices', matching.invoices),
    unmatched_payments: unmatchedOf('payments', matching.payments),
    ageing:
      head.as_of === undefined ? null : ageingOf(openOf(settled, matching.invoices), head.as_of),
    exceptions: exceptionsOf(
      aside,
      { invoices: invoices.items, payments: payments.items },
      settled,
      matching.foreign,
    ),
    control_totals: controlTotals(
      { invoices: came.invoices.totals, payments: came.payments.totals },
      aside,
      settled,
      matching,
    ),
  }
  const findings = notes(details)
  for (const { citations } of result.exceptions) findings.add('exceptions', citations)
  for (const { citations } of result.unmatched_invoices)
    findings.add('unmatched_invoices', citations)
  for (const { citations } of result.unmatched_payments)
    findings.add('unmatched_payments', citations)
  const gaps = notes(details)
  const conflicting = [...aside.invoices, ...aside.payments].filter(({ code }) =>
    code.startsWith('conflicting'),
  )
  for (const own of groupedBy(conflicting, ({ code, id }) => `${code} ${id}`).values()) {
    gaps.add(
      'set_aside',
      own.flatMap(({ citations }) => citations),
    )
  }
  if (head.as_of === undefined) gaps.add('no_as_of', [])
  gaps.add('combinations_not_searched', [], matching.notSearched)
  return { result, findings: findings.list(), gaps: gaps.list() }
}

function unmatchedOf(list: List, items: Item[]): FinanceopsResult['unmatched_invoices'] {
  return items
    .map(({ id, counterparty, currency, amount, index }) => {
      return {
        id,
        counterparty,
        currency,
        amount_minor: toInteger(amount),
        citations: [cite(list, index)],
      }
    })
    .sort(inOrder(({ id }) => id))
}
