import type { CellTable, Form, FormRows } from '../../form.ts'
import { columnsOf, daysOf, headingCurrency, headingKey, numbersOf } from './cells.ts'
import { invoiceHeadings } from './headings.ts'
import { amountOf, oneText } from './statement.ts'

/** Lists of open invoices that state what is open next to the whole amount, as QuickBooks writes them. */
export const openInvoices: Form = {
  name: 'open invoices (CSV)',
  source: 'QuickBooks, open invoices',
  example: null,
  kind: 'table',
  read: readOpenInvoices,
}

const totals = /^(totals?|sum|summe|gesamt|totaal|totale|somme)\b/i
const openAmounts = ['Open balance', 'Amount due', 'Balance due', 'Offener Betrag', 'Reste dû']

function readOpenInvoices(table: CellTable): FormRows | undefined {
  const first = (headings: readonly string[] | undefined) => columnsOf(table, headings ?? [])[0]
  const [open] = columnsOf(table, openAmounts)
  const id = first(invoiceHeadings['id'])
  const due = first(invoiceHeadings['due_at'])
  const isBoth = table.header.some((heading) => headingKey(heading) === 'amount')
  if (open === undefined || id === undefined || due === undefined || !isBoth) return undefined
  const [customer, currency] = [invoiceHeadings['counterparty'], invoiceHeadings['currency']].map(
    first,
  )
  const [number, day] = [numbersOf(table, [open]), daysOf(table, due)]
  const ofHeading = headingCurrency(table.header[open] ?? '')
  const says = { amount: 'what is open of each invoice' }
  const rows: FormRows['rows'][number][] = []
  const leftOut: FormRows['leftOut'][number][] = []
  for (const { line, cells } of table.records) {
    const cell = (at: number | undefined) => oneText(cells[at ?? -1])
    const [name, units, dueAt] = [cell(id), number(cell(open) ?? ''), day(cell(due) ?? '')]
    const isTitle = cell(open) === undefined || totals.test(oneText(...cells) ?? '')
    if (name === undefined && dueAt === undefined && isTitle)
      leftOut.push({ line, reason: 'a total or title' })
    else if (units === undefined || dueAt === undefined)
      rows.push({ line, malformed: 'states no open amount or day that can be read' })
    else {
      const own = { id: name, counterparty: cell(customer), due_at: dueAt, amount: amountOf(units) }
      const ccy = cell(currency)?.toUpperCase() ?? ofHeading
      rows.push({ line, value: { ...own, ...(ccy !== undefined && { currency: ccy }) } })
    }
  }
  return { rows, says, leftOut, findings: [] }
}
