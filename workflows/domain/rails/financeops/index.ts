import { groupedBy } from '../../core/grouped-by.ts'
import { byRows } from '../input/by-rows.ts'
import type { GapRules, Rail, Work } from '../rail.ts'
import { toInteger } from '../values/amounts.ts'
import { dayOf } from '../values/calendar.ts'
import { exchangeRates } from '../values/exchange.ts'
import { cite, notes } from '../work/notes.ts'
import { rowTiers, tiersOf } from '../work/tiers.ts'
import { inOrder, judgedGaps } from '../work/work.ts'
import { financeopsAudit } from './audit.ts'
import { CANDIDATES_MAX } from './combinations.ts'
import { controlTotals } from './control-totals.ts'
import { partyOf } from './credits.ts'
import { exceptionsOf } from './exceptions.ts'
import { invoiceForms, invoiceHeadings, paymentForms, paymentHeadings } from './forms/index.ts'
import { type Item, type List, sortOut } from './items.ts'
import { match } from './matching.ts'
import { parties } from './parties.ts'
import { postingsOf } from './postings.ts'
import { emptySide, type Side, takeRow } from './rows.ts'
import { financeopsInput, undatedFinanceopsInput } from './sample.ts'
import {
  FinanceopsHead,
  type FinanceopsInput,
  FinanceopsResult,
  Invoice,
  Payment,
} from './schema.ts'
import { ageingOf, openOf, settle } from './settlement.ts'

export { financeopsInput } from './sample.ts'
export { FinanceopsHead, type FinanceopsInput, Invoice, Payment } from './schema.ts'

const details = {
  exceptions: (count: number) => `exceptions that somebody has to look at: ${count}`,
  unmatched_invoices: (count: number) => `invoices that no payment meets: ${count}`,
  unmatched_payments: (count: number) => `payments that meet no invoice: ${count}`,
  no_as_of: () => 'no day is given: open amounts are not aged, and no payment is left out as later',
  set_aside: (count: number) => `ids whose rows differ, none of which is matched: ${count}`,
  combinations_not_searched: (count: number) =>
    `items for which sums of several were not all tried, because of more than ${CANDIDATES_MAX} candidates or of the steps: ${count}`,
}

const gapRules = {
  set_aside: { kind: 'needed', filled_by: 'one row for each id' },
  no_as_of: {
    kind: 'needed',
    pointer: '/as_of',
    filled_by: 'the day on which open amounts are aged',
  },
  combinations_not_searched: {
    kind: 'advisory',
    pointer: '/payments',
    filled_by: 'references or party names that say what a payment is for',
  },
} as const satisfies GapRules

/**
 * Reconciles invoices with payments: by reference, by amount within a tolerance, by bounded sums of several, with credit notes,
 * refunds, discounts and exchange rates; reports how sure each match is, its journal lines, partial and over-payments, duplicates,
 * what is open by age, and control totals in which every row is found again.
 */
export const financeops: Rail<FinanceopsInput, FinanceopsResult> = {
  key: 'financeops',
  about: {
    summary:
      'Matches invoices with payments, ages what is open and balances every row in control totals.',
    capabilities: [
      'reconcile invoices and bank payments',
      'match payments by reference, amount, party name and tolerance',
      'credit notes, refunds, instalments, discounts and exchange rates',
      'journal lines for posting',
      'find duplicate, partial and over-payments',
      'accounts receivable ageing report',
      'control totals of a ledger',
    ],
    asks: [
      'match bank transfers and payments to open invoices',
      'which customers owe us money and have not paid',
      'unpaid and overdue invoices by days',
      'invoices that were paid twice',
      'reconcile Stripe or card payouts with receivables',
      'close the books at the end of a month',
      'one payment that covers several invoices',
      'assign incoming transfers to invoices',
      'overpaid and short-paid invoices',
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
  tiers: tiersOf({
    entry: {
      depth: 'matches, what is unmatched, ages, exceptions and control totals',
      leaves_out: ['postings'],
      leaves_out_codes: [],
    },
    whole: 'all of it, with journal lines for posting',
    rows: rowTiers,
  }),
  result: FinanceopsResult,
  sandboxInput: financeopsInput,
  gapRules,
  audit: financeopsAudit,
  inputWithGaps: undatedFinanceopsInput,
  parameters: ['tolerance_minor', 'as_of', 'party_aliases', 'exchange_rates'],
  ...byRows({
    head: FinanceopsHead,
    lists: { invoices: Invoice, payments: Payment },
    forms: { invoices: invoiceForms, payments: paymentForms },
    headings: { invoices: invoiceHeadings, payments: paymentHeadings },
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
  const names = parties(head.party_aliases)
  const invoices = sortOut('invoices', came.invoices.entries.values(), lastDay, names.keyOf)
  const payments = sortOut('payments', came.payments.entries.values(), lastDay, names.keyOf)
  const matching = match(
    {
      invoices: invoices.items,
      credits: invoices.negative,
      payments: payments.items,
      refunds: payments.negative,
    },
    tolerance,
    exchangeRates(head.exchange_rates ?? []),
  )
  const equalTo = (item: Item) => `${partyOf(item)} ${item.amount}`
  const equal = [invoices.items, payments.items].map((items) => groupedBy(items, equalTo))
  const settling = {
    tolerance,
    parties: names,
    credited: groupedBy(matching.credited, ({ invoice }) => invoice),
    hasRivals: (item: Item) => equal.some((groups) => (groups.get(equalTo(item))?.length ?? 0) > 1),
  }
  const settled = matching.matches
    .map((one) => settle(one, settling))
    .sort(inOrder(({ line }) => JSON.stringify([line.invoice_ids, line.payment_ids])))
  const aside = { invoices: invoices.setAside, payments: payments.setAside }
  const unused = settled.flatMap(({ match: { credits = [] }, left }) =>
    credits
      .map((item) => ({ ...item, open: left.get(item) ?? 0n }))
      .filter(({ open }) => open > 0n),
  )
  const result: FinanceopsResult = {
    matches: settled.map(({ line }) => line),
    postings: postingsOf(settled),
    unmatched_invoices: unmatchedOf('invoices', matching.invoices, [
      ...matching.credits,
      ...unused,
    ]),
    unmatched_payments: unmatchedOf('payments', matching.payments, matching.refunds),
    ageing:
      head.as_of === undefined ? null : ageingOf(openOf(settled, matching.invoices), head.as_of),
    exceptions: exceptionsOf(
      aside,
      { invoices: invoices.items, payments: payments.items },
      settled,
      matching,
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
  return { result, findings: findings.list(), gaps: judgedGaps(gapRules, gaps.list()) }
}

/** Credit notes and refunds are below zero. */
function unmatchedOf(
  list: List,
  items: Item[],
  negative: Item[],
): FinanceopsResult['unmatched_invoices'] {
  const line = ({ id, counterparty, currency, index }: Item, amount: bigint) => {
    const citations = [cite(list, index)]
    return { id, counterparty, currency, amount_minor: toInteger(amount), citations }
  }
  return [
    ...items.map((item) => line(item, item.open)),
    ...negative.map((item) => line(item, -item.open)),
  ].sort(inOrder(({ id }) => id))
}
