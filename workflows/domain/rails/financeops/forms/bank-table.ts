import type { CellTable, Form, FormRows } from '../../form.ts'
import { columnsOf, daysOf, headingCurrency, numbersOf } from './cells.ts'
import { paymentHeadings } from './headings.ts'
import { oneText, type StatementRows, statementRows } from './statement.ts'

/** Statements of banks as tables that no plain reading is enough for: without ids, or with the sign in columns of its own. */
export const bankTable: Form = {
  name: 'bank statement (CSV)',
  source: 'exports of banks in English, German, French, Spanish, Dutch and Italian',
  example: null,
  kind: 'table',
  read: readBankTable,
}

const debits = [
  'Debit',
  'Debit Amount',
  'Debits',
  'Money Out',
  'Paid out',
  'Withdrawal',
  'Withdrawals',
  'Withdrawal Amt.',
  'Withdrawal Amount',
  'Soll',
  'Belastung',
  'Ausgang',
  'Débit',
  'Cargo',
  'Cargos',
  'Debe',
  'Adeudos',
  'Af',
  'Dare',
  'Uscite',
  'Addebiti',
  'Addebito',
]
const credits = [
  'Credit',
  'Credit Amount',
  'Credits',
  'Money In',
  'Paid in',
  'Deposit',
  'Deposits',
  'Deposit Amt.',
  'Deposit Amount',
  'Haben',
  'Gutschrift',
  'Eingang',
  'Crédit',
  'Abono',
  'Abonos',
  'Haber',
  'Bij',
  'Avere',
  'Entrate',
  'Accrediti',
  'Accredito',
]
const marks = [
  'Soll/Haben',
  'S/H',
  'Soll-/Haben-Kennzeichen',
  'Debit/Credit',
  'Credit/Debit',
  'D/C',
  'C/D',
  'CR/DR',
  'DR/CR',
  'Af Bij',
  'Af/Bij',
  'Bij/Af',
  'By af code',
  'Debit Credit Indicator',
  'Credit Debit Indicator',
  'Sens',
  'Signo',
  'Segno',
  'Dare/Avere',
  'D/H',
  'Transaction Type',
  'Type',
]
const debitMark = /^(s|soll|d|dr|db|debit|dbit|débit|af|debe|cargo|adeudo|dare|-)$/i
const creditMark = /^(h|haben|c|cr|credit|crdt|crédit|bij|haber|abono|avere|\+)$/i
const balances = [
  'Balance',
  'Running Balance',
  'Saldo',
  'Kontostand',
  'Saldo nach Buchung',
  'Solde',
]
const accounts = [
  'Auftragskonto',
  'IBAN Auftragskonto',
  'Account',
  'Account number',
  'Rekening',
  'IBAN',
]
const references = [
  ...(paymentHeadings['reference'] ?? []),
  'Kundenreferenz (End-to-End)',
  'End-to-End-Referenz',
  'Betalingskenmerk',
  'Omschrijving-2',
  'Omschrijving-3',
  'Communications',
]

type Columns = ReturnType<typeof columnsIn>

function columnsIn(table: CellTable) {
  const first = (headings: readonly string[] | undefined) => columnsOf(table, headings ?? [])[0]
  const unnamed = table.header.findIndex((heading) => heading.trim() === '')
  const named = first(marks) ?? (unnamed === -1 ? undefined : unnamed)
  return {
    id: first(paymentHeadings['id']),
    day: first(paymentHeadings['paid_at']),
    amount: first(paymentHeadings['amount']),
    debit: first(debits),
    credit: first(credits),
    mark: named !== undefined && isMark(table, named) ? named : undefined,
    currency: first(paymentHeadings['currency']),
    counterparty: first(paymentHeadings['counterparty']),
    references: columnsOf(table, references),
    account: first(accounts),
    balance: first(balances),
  }
}

/** A column in which each cell says whether its row is a debit or a credit. */
const isMark = ({ records }: CellTable, at: number): boolean =>
  records.length > 0 &&
  records.every(({ cells }) => {
    const cell = cells[at]?.trim() ?? ''
    return debitMark.test(cell) || creditMark.test(cell)
  })

function readBankTable(table: CellTable): FormRows | undefined {
  const columns = columnsIn(table)
  const { day, amount, debit, credit, mark, id } = columns
  const isParted = debit !== undefined && credit !== undefined
  const isStatement = amount !== undefined || isParted
  if (day === undefined || !isStatement) return undefined
  // One row of it is a payment as it stands, with an id: the plain reading of tables takes it.
  if (id !== undefined && amount !== undefined && mark === undefined) return undefined
  const rows = statementRows()
  const follow = runningBalance()
  const read = recordReader(table, columns)
  for (const { line, cells } of table.records) {
    const record = read(cells)
    if (record.isTotal) rows.leaveOut(line, 'a total')
    else {
      rows.add({ line, ...record })
      follow.take(record.units, record.balance)
    }
  }
  follow.compare(rows)
  return rows.rows({ unit: 'amounts are in whole units of their currency' })
}

const totals = /^(totals?|sum|summe|gesamt|totaal|totale|somme|saldo|balance|solde)\b/i

function recordReader(table: CellTable, columns: Columns) {
  const { day = -1, amount, debit, credit, balance } = columns
  const money = [amount, debit, credit, balance].filter((at) => at !== undefined)
  const number = numbersOf(table, money)
  const dayIn = daysOf(table, day)
  const headings = [amount, credit].map((at) => headingCurrency(table.header[at ?? -1] ?? ''))
  const ofHeading = headings.find((currency) => currency !== undefined)
  return (cells: readonly string[]) => {
    const cell = (at: number | undefined) => (at === undefined ? undefined : cells[at]?.trim())
    const first = cells.find((one) => one.trim() !== '')?.trim() ?? ''
    const paidAt = dayIn(cell(day) ?? '')
    const currency = oneText(cell(columns.currency))?.toUpperCase() ?? ofHeading
    return {
      isTotal: paidAt === undefined && totals.test(first),
      account: oneText(cell(columns.account)),
      bankReference: oneText(cell(columns.id)),
      paid_at: paidAt,
      currency,
      units: unitsIn(columns, cell, number),
      balance: number(cell(balance) ?? ''),
      counterparty: cell(columns.counterparty),
      reference: oneText(...new Set(columns.references.map(cell))),
    }
  }
}

type Cell = (at: number | undefined) => string | undefined

/** What a record comes to with its sign; undefined where it says nothing, or two things. */
function unitsIn(columns: Columns, cell: Cell, number: (text: string) => bigint | undefined) {
  const size = (units: bigint) => (units < 0n ? -units : units)
  if (columns.debit !== undefined && columns.credit !== undefined) {
    const [debit, credit] = [cell(columns.debit) ?? '', cell(columns.credit) ?? '']
    const [out, into] = [debit === '' ? 0n : number(debit), credit === '' ? 0n : number(credit)]
    if (out === undefined || into === undefined || (debit === '' && credit === '')) return undefined
    return out !== 0n && into !== 0n ? undefined : into - size(out)
  }
  const amount = number(cell(columns.amount) ?? '')
  const mark = cell(columns.mark)
  if (amount === undefined || mark === undefined) return amount
  if (debitMark.test(mark)) return -size(amount)
  return amount < 0n ? undefined : amount
}

/** Balances behind each row, which follow from the one before, in the order of the file or against it. */
function runningBalance() {
  let previous: { units: bigint; balance: bigint } | undefined
  const breaks = { forward: 0, backward: 0 }
  return {
    take(units: bigint | undefined, balance: bigint | undefined): void {
      if (units === undefined || balance === undefined) return
      if (previous !== undefined && previous.balance + units !== balance) breaks.forward += 1
      if (previous !== undefined && balance + previous.units !== previous.balance)
        breaks.backward += 1
      previous = { units, balance }
    },
    compare(rows: StatementRows): void {
      const count = Math.min(breaks.forward, breaks.backward)
      if (count > 0)
        rows.find(
          'statement_differs',
          `The balance of ${count} ${count === 1 ? 'row does' : 'rows do'} not follow from the row before and its amount.`,
        )
    },
  }
}
