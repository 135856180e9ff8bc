import type { CellTable, Form, FormRows } from '../../form.ts'
import { columnsOf, daysOf, numbersOf } from './cells.ts'
import { amountOf, oneText, said, statementRows } from './statement.ts'

/** The activity of a PayPal account: what was paid is the gross amount, and PayPal keeps its fee back. */
export const paypal: Form = {
  name: 'PayPal activity (CSV)',
  source: 'PayPal, activity download',
  example: null,
  kind: 'table',
  read: readPaypal,
}

const headings = {
  id: ['Transaction ID', 'Transaktionscode', 'Numéro de transaction', 'Id. de transacción'],
  day: ['Date', 'Datum', 'Fecha', 'Data'],
  gross: ['Gross', 'Brutto', 'Avant commission', 'Bruto', 'Lordo'],
  fee: [
    'Fee',
    'Fees',
    'Gebühr',
    'Entgelt',
    'Commission',
    'Comisión',
    'Tarifa',
    'Tariffa',
    'Kosten',
  ],
  net: ['Net', 'Netto', 'Net (après commission)', 'Neto', 'Netto bedrag'],
  currency: ['Currency', 'Währung', 'Devise', 'Divisa', 'Valuta'],
  name: ['Name', 'Nom', 'Nombre', 'Nome', 'Naam'],
  status: ['Status', 'État', 'Estado', 'Stato'],
  impact: ['Balance Impact', 'Auswirkung auf Guthaben'],
  references: [
    'Invoice Number',
    'Rechnungsnummer',
    'Numéro de facture',
    'Custom Number',
    'Item Title',
    'Subject',
    'Note',
    'Type',
    'Typ',
  ],
}
const completed = /^(completed|abgeschlossen|terminé|completado|completata?|voltooid)$/i

function readPaypal(table: CellTable): FormRows | undefined {
  const first = (names: readonly string[]) => columnsOf(table, names)[0]
  const { id, day, gross, fee, net, status } = Object.fromEntries(
    Object.entries(headings).map(([name, names]) => [name, first(names)]),
  )
  if (id === undefined || day === undefined) return undefined
  if (gross === undefined || fee === undefined || net === undefined) return undefined
  const [currency, name, impact] = [headings.currency, headings.name, headings.impact].map(first)
  const references = columnsOf(table, headings.references)
  const [number, dayIn] = [numbersOf(table, [gross, fee, net]), daysOf(table, day)]
  const rows = statementRows()
  const fees = new Map<string, bigint>()
  for (const { line, cells } of table.records) {
    const cell = (at: number | undefined) => (at === undefined ? undefined : cells[at]?.trim())
    const state = oneText(cell(status))
    if (state !== undefined && !completed.test(state)) {
      rows.leaveOut(line, `is not completed, but ${state}`)
      continue
    }
    if (/^memo$/i.test(cell(impact) ?? '')) {
      rows.leaveOut(line, 'does not change the balance')
      continue
    }
    const [units, kept, left] = [gross, fee, net].map((at) => number(cell(at) ?? ''))
    const own = oneText(cell(currency))
    if (units !== undefined && kept !== undefined && left !== undefined && units + kept !== left)
      rows.find('statement_differs', `Gross and fee of ${cell(id)} do not come to its net amount.`)
    if (kept !== undefined && own !== undefined) fees.set(own, (fees.get(own) ?? 0n) - kept)
    rows.add({
      line,
      account: 'PayPal',
      bankReference: cell(id),
      units,
      fee: units !== undefined && units > 0n && kept !== undefined ? -kept : 0n,
      paid_at: dayIn(cell(day) ?? ''),
      currency: own,
      counterparty: cell(name),
      reference: oneText(...references.map((at) => said(cell(at)))),
    })
  }
  const kept = [...fees].map(([own, units]) => `${amountOf(units)} ${own}`).join(', ')
  return rows.rows({ amount: 'gross, before the fees of PayPal', fees: kept })
}
