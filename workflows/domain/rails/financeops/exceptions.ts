import { groupedBy } from '../../core/grouped-by.ts'
import { cite } from '../work/notes.ts'
import { inOrder } from '../work/work.ts'
import type { Item, List, SetAside } from './items.ts'
import { type Matching, onlyEqual } from './matching.ts'
import type { FinanceopsResult } from './schema.ts'
import type { Settled } from './settlement.ts'

export type Exception = FinanceopsResult['exceptions'][number]

/** Everything that a person has to check, by code and ids. */
export function exceptionsOf(
  aside: Record<List, SetAside[]>,
  items: Record<List, Item[]>,
  settled: Settled[],
  { foreign, ignored, invoices, payments, returns }: Matching,
): Exception[] {
  const owing = new Set(items.invoices.map(({ party }) => party))
  const strangers = payments.filter(({ party }) => party !== null && !owing.has(party))
  const all = [
    ...setAside('invoices', aside.invoices),
    ...setAside('payments', aside.payments),
    ...lookAlikes('invoices', items.invoices, ({ day }) => String(day)),
    ...lookAlikes('payments', unsettled(items.payments, settled), ({ reference }) => reference),
    ...settled.flatMap(({ line }): Exception[] => {
      if (line.status !== 'partial' && line.status !== 'over') return []
      const { invoice_ids, payment_ids, citations } = line
      return [{ code: `${line.status}_payment`, invoice_ids, payment_ids, citations }]
    }),
    ...settled.flatMap(({ match, line }) =>
      line.names.some(({ by }) => by === 'other') ? [about('counterparty_differs', match)] : [],
    ),
    ...returns.returned.map(({ payment, refund, named }) =>
      about('payment_returned', { invoices: named, payments: [payment, refund] }),
    ),
    ...returns.unclear.map(({ refund, named }) =>
      about('return_without_payment', { invoices: named, payments: [refund] }),
    ),
    ...foreign.map(({ payment, named }) =>
      about('currency_differs', { invoices: named, payments: [payment] }),
    ),
    ...ignored.map(({ payment, named }) =>
      about('reference_differs', { invoices: named, payments: [payment] }),
    ),
    ...onlyEqual(invoices, strangers).map(({ invoice, payment }) =>
      about('possible_payer', { invoices: [invoice], payments: [payment] }),
    ),
  ]
  return all.sort(
    inOrder(
      ({ code }) => code,
      ({ invoice_ids, payment_ids }) => JSON.stringify([invoice_ids, payment_ids]),
    ),
  )
}

function setAside(list: List, rows: SetAside[]): Exception[] {
  return [...groupedBy(rows, ({ code, id }) => JSON.stringify([code, id]))].map(([, own]) => {
    const id = own[0]?.id ?? ''
    const ids = { invoices: [], payments: [], [list]: [id] }
    return {
      code: own[0]?.code ?? '',
      invoice_ids: ids.invoices,
      payment_ids: ids.payments,
      citations: own.flatMap(({ citations }) => citations),
    }
  })
}

const alikeCodes: Record<List, string> = {
  invoices: 'possible_duplicate_invoice',
  payments: 'possible_duplicate_payment',
}

/** Items of different ids that say the same: a bill sent twice, or paid twice. */
function lookAlikes(list: List, items: Item[], more: (item: Item) => string): Exception[] {
  const named = items.filter(({ party }) => party !== null)
  const keyOf = (item: Item) =>
    JSON.stringify([item.currency, item.party, String(item.amount), more(item)])
  const alike = [...groupedBy(named, keyOf).values()].filter((own) => own.length > 1)
  return alike.map((own) => about(alikeCodes[list], { invoices: [], payments: [], [list]: own }))
}

/** Payments but for those that settle their invoices together with others, or each one of its own. */
function unsettled(payments: Item[], settled: Settled[]): Item[] {
  const fine = settled.filter(({ line }) => line.status !== 'over' && line.status !== 'partial')
  const ids = new Set(fine.flatMap(({ line }) => line.payment_ids))
  return payments.filter(({ id }) => !ids.has(id))
}

function about(code: string, { invoices, payments }: Record<List, Item[]>): Exception {
  return {
    code,
    invoice_ids: invoices.map(({ id }) => id),
    payment_ids: payments.map(({ id }) => id),
    citations: [
      ...invoices.map(({ index }) => cite('invoices', index)),
      ...payments.map(({ index }) => cite('payments', index)),
    ],
  }
}
