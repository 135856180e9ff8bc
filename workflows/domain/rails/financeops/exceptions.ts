import { groupedBy } from '../../grouped-by.ts'
import { cite } from '../notes.ts'
import { inOrder } from '../work.ts'
import type { Item, List, SetAside } from './items.ts'
import type { FinanceopsResult } from './schema.ts'
import type { Settled } from './settlement.ts'

export type Exception = FinanceopsResult['exceptions'][number]

/** Everything that somebody has to look at, by code and ids. */
export function exceptionsOf(
  aside: Record<List, SetAside[]>,
  items: Record<List, Item[]>,
  settled: Settled[],
  foreign: Item[],
): Exception[] {
  const all = [
    ...setAside('invoices', aside.invoices),
    ...setAside('payments', aside.payments),
    ...lookAlikes('invoices', items.invoices, ({ day }) => String(day)),
    ...lookAlikes('payments', items.payments, ({ reference }) => reference),
    ...settled.flatMap(({ line }): Exception[] => {
      if (line.status !== 'partial' && line.status !== 'over') return []
      const { invoice_ids, payment_ids, citations } = line
      return [{ code: `${line.status}_payment`, invoice_ids, payment_ids, citations }]
    }),
    ...settled.flatMap(({ match }) => (isOtherParty(match) ? [about('counterparty_differs', match)] : [])),
    ...foreign.map((payment) => about('currency_differs', { invoices: [], payments: [payment] })),
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
    const ids = { invoice_ids: list === 'invoices' ? [id] : [], payment_ids: list === 'payments' ? [id] : [] }
    return { code: own[0]?.code ?? '', ...ids, citations: own.flatMap(({ citations }) => citations) }
  })
}

/** Items of different ids that say the same: a bill sent twice, or paid twice. */
function lookAlikes(list: List, items: Item[], more: (item: Item) => string): Exception[] {
  const named = items.filter(({ counterparty }) => counterparty !== null)
  const keyOf = (item: Item) => JSON.stringify([item.currency, item.counterparty, String(item.amount), more(item)])
  const alike = [...groupedBy(named, keyOf).values()].filter((own) => own.length > 1)
  const code = list === 'invoices' ? 'possible_duplicate_invoice' : 'possible_duplicate_payment'
  return alike.map((own) =>
    about(code, { invoices: list === 'invoices' ? own : [], payments: list === 'payments' ? own : [] }),
  )
}

function isOtherParty({ invoices, payments }: Record<List, Item[]>): boolean {
  const owing = new Set(invoices.map(({ counterparty }) => counterparty?.toLowerCase()))
  return payments.some(({ counterparty }) => counterparty !== null && !owing.has(counterparty.toLowerCase()))
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
