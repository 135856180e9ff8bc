import type { Form, FormRows } from '../../form.ts'
import { dayFrom } from '../../values/calendar.ts'
import { readDetails } from './mt940-details.ts'
import {
  compactDay,
  fullYear,
  oneText,
  type StatementRows,
  said,
  statementRows,
  unitsOf,
} from './statement.ts'

/** Statements of an account by SWIFT: MT940 at the end of a day, MT942 within it. */
export const mt940: Form = {
  name: 'MT940 or MT942',
  source: 'SWIFT Category 9, MT940 and MT942; DFÜ-Abkommen, annex 3, for field 86',
  example:
    'files of wolph/mt940 (BSD): betterplace/sepa_mt9401.sta, jejik/rabobank-iban.sta, jejik/postfinance.sta',
  kind: 'text',
  read: readMt940,
}

type Field = { line: number; tag: string; lines: string[] }

function readMt940(text: string): FormRows | undefined {
  if (!/^:2[05]:/m.test(text) || !/^:(60[FM]|61|90[CD]|34F):/m.test(text)) return undefined
  const rows = statementRows()
  const accounts = statementsOf(fieldsOf(text)).map((fields) => readStatement(fields, rows))
  return rows.rows({ account: [...new Set(accounts)].join(', ') })
}

function fieldsOf(text: string): Field[] {
  const fields: Field[] = []
  let isOpen = false
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const begin = /^:(\d\d[A-Z]?|NS):/.exec(line)
    if (begin !== null) {
      const rest = line.slice(begin[0].length)
      fields.push({ line: index + 1, tag: begin[1] ?? '', lines: [rest] })
      isOpen = true
    } else if (/^-\}?($|[A-Z{])/.test(line)) isOpen = false
    else if (isOpen) fields.at(-1)?.lines.push(line)
  }
  return fields
}

/** Each begins with its reference in field 20. */
function statementsOf(fields: Field[]): Field[][] {
  const statements: Field[][] = []
  for (const field of fields) {
    if (field.tag === '20' || statements.length === 0) statements.push([])
    statements.at(-1)?.push(field)
  }
  return statements
}

function readStatement(fields: Field[], rows: StatementRows): string {
  const first = (tag: RegExp) => fields.find((field) => tag.test(field.tag))?.lines[0]?.trim()
  const account = oneText(first(/^25P?$/)) ?? 'account'
  const opening = balanceOf(first(/^60[FM]$/))
  const closing = balanceOf(first(/^62[FM]$/))
  const currency = opening?.currency ?? closing?.currency ?? first(/^34F$/)?.slice(0, 3)
  const sums = { C: 0n, D: 0n }
  for (const [index, field] of fields.entries()) {
    if (field.tag !== '61') continue
    const line = readLine(field.lines[0] ?? '')
    if (line === undefined) {
      rows.malformed(field.line, 'is no statement line (field 61)')
      continue
    }
    if (line.isExpected) {
      rows.leaveOut(field.line, 'is expected and not booked')
      continue
    }
    const next = fields[index + 1]
    const details = next?.tag === '86' ? readDetails(next.lines) : {}
    sums[line.units < 0n ? 'D' : 'C'] += line.units
    rows.add({
      line: field.line,
      account,
      currency,
      bankReference: line.bankReference,
      units: line.units,
      paid_at: line.day,
      counterparty: details.counterparty,
      reference: oneText(
        details.reference,
        line.customerReference,
        line.isReversal ? 'REVERSAL' : '',
      ),
    })
  }
  compareSums({ account, opening, closing, sums }, rows)
  for (const tag of ['C', 'D'] as const) {
    const [, stated] = /^\d*[A-Z]{3}(\d[\d,]*)$/.exec(first(new RegExp(`^90${tag}$`)) ?? '') ?? []
    const units = unitsOf(stated, ',')
    rows.compare(`Sum ${tag} of ${account}`, units, tag === 'C' ? sums.C : -sums.D)
  }
  return account
}

type Balance = { units: bigint; currency: string }
type Sums = {
  account: string
  opening: Balance | undefined
  closing: Balance | undefined
  sums: Record<'C' | 'D', bigint>
}

function compareSums({ account, opening, closing, sums }: Sums, rows: StatementRows): void {
  if (opening === undefined || closing === undefined) return
  rows.compare(`Closing balance of ${account}`, closing.units, opening.units + sums.C + sums.D)
}

/** `C260531EUR1500,00` */
function balanceOf(text: string | undefined): Balance | undefined {
  const [, mark, currency = '', amount] =
    /^([CD])\d{6}([A-Z]{3})(\d[\d,]*)$/.exec(text?.replace(/\s/g, '') ?? '') ?? []
  const units = unitsOf(amount, ',')
  return units === undefined ? undefined : { units: mark === 'D' ? -units : units, currency }
}

const statementLine =
  /^(?<value>\d{6})(?<entry>\d{4})?(?<mark>R?[CD]|E[CD])[A-Z]?(?<amount>\d+(,\d*)?)(?<type>[A-Z][A-Z0-9 ]{3})(?<references>.*)$/

/** Field 61, such as `2605310601CR1500,00NTRFINV-1//BANK-1`: `RC` is a credit that is taken back, `EC` an expected one. */
function readLine(text: string) {
  const parts = statementLine.exec(text.trim())?.groups
  const units = unitsOf(parts?.['amount'], ',')
  if (parts === undefined || units === undefined) return undefined
  const { value = '', entry, mark = '', references = '' } = parts
  const [customerReference, bankReference] = references.split('//')
  const isDebit = mark === 'D' || mark === 'RC' || mark === 'ED'
  return {
    units: isDebit ? -units : units,
    isReversal: mark.startsWith('R'),
    isExpected: mark.startsWith('E'),
    day: entryDay(value, entry),
    customerReference: said(customerReference?.replace(/^(EREF|KREF|PREF|MREF|BNKREF)\+?$/, '')),
    bankReference: said(bankReference),
  }
}

/** The day of booking; its year is the one that brings it nearest to the value date. */
function entryDay(value: string, entry: string | undefined): string | undefined {
  const day = compactDay(value)
  if (entry === undefined) return day
  const year = fullYear(value.slice(0, 2))
  const month = Number(entry.slice(0, 2))
  const apart = month - Number(value.slice(2, 4))
  const shift = Math.abs(apart) > 6 ? -Math.sign(apart) : 0
  return dayFrom(year + shift, month, Number(entry.slice(2)))
}
