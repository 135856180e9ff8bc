import type { CellTable, Form, FormRows } from '../../form.ts'
import { namesApart } from '../../input/names.ts'

const currency = /^[A-Za-z]{3}$/
/** As PayPal takes it, without thousands: `100.5`, and `100,50` where a comma is the decimal sign. */
const amount = /^\d+([.,]\d{1,2})?$/
/** An e-mail address, a telephone number, the id of a payer, or a handle of Venmo. */
const recipient = /^([^\s@]+@[^\s@]+|\+?[\d ()-]{7,20}|[A-Z0-9]{13}|@[\w-]+)$/

/** The lines of a payment file of PayPal (mass payments, payouts), with or without a header. */
export const paypalPayoutsForm: Form = {
  name: 'PayPal payouts',
  source: 'PayPal, Mass Payments User Guide (2013) and Payouts Web',
  example: 'Mass Payments User Guide, page 14',
  kind: 'table',
  read({ above, header, records }: CellTable) {
    const isFirstRow = isPayment(header)
    if (!isFirstRow && !isHeader(header)) return undefined
    const all = isFirstRow ? [{ line: above.length + 1, cells: header }, ...records] : records
    const idOf = namesApart()
    const rows = all.map(({ line, cells }): FormRows['rows'][number] => {
      if (!isPayment(cells))
        return { line, malformed: 'does not begin with a recipient, an amount and a currency' }
      const [to = '', paid = '', unit = ''] = cells.map((cell) => cell.trim())
      const value = {
        id: idOf(to),
        destination_reference: to,
        amount: paid.replace(',', '.'),
        currency: unit.toUpperCase(),
      }
      return { line, value }
    })
    const says = { notes: 'ids and notes of the file are not read' }
    return { rows, says, leftOut: [], findings: [] }
  },
}

const isPayment = ([to = '', paid = '', unit = '']: readonly string[]): boolean =>
  recipient.test(to.trim()) && amount.test(paid.trim()) && currency.test(unit.trim())

const isHeader = ([to = '', paid = '', unit = '']: readonly string[]): boolean =>
  /e-?mail|recipient|phone|payer/i.test(to) &&
  /amount/i.test(paid) &&
  /^currency/i.test(unit.trim())
