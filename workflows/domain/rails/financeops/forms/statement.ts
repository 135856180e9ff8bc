import type { FormRows } from '../../form.ts'
import { namesApart } from '../../input/names.ts'
import { decimalText, scaled } from '../../values/amounts.ts'
import { dayFrom } from '../../values/calendar.ts'

/** More decimal places than any currency has; sums of statements are computed in these units. */
const PLACES = 8

/** `1500,05` or `1500.05` in units of 10⁻⁸; undefined for what is not such a number. */
export function unitsOf(text: string | undefined, sign: '.' | ',' = '.'): bigint | undefined {
  const plain = text?.trim().replace(/^\+/, '')
  if (plain === undefined || (sign === ',' && plain.includes('.'))) return undefined
  const number = plain.replace(',', sign === ',' ? '.' : ',').replace(/\.$/, '')
  return scaled(number, PLACES) ?? undefined
}

/** `150005000000n` → `1500.05`. */
export const amountOf = (units: bigint): string => decimalText(units, PLACES)

/** `20260531` or `260531`, with more behind it, as a day. */
export function compactDay(text: string | undefined): string | undefined {
  const parts = /^(\d{4}|\d{2})(\d{2})(\d{2})(?=\D|\d{6}|\d{4}|$)/.exec(text?.trim() ?? '')
  if (parts === null) return undefined
  const [, year = '', month, day] = parts
  return dayFrom(year.length === 2 ? fullYear(year) : Number(year), Number(month), Number(day))
}

/** Two digits are a year from 1980 to 2079, as SWIFT reads them. */
export const fullYear = (year: string): number => Number(year) + (Number(year) < 80 ? 2000 : 1900)

/** Texts on one line with a blank between them; undefined where nothing is left. */
export function oneText(...parts: (string | undefined)[]): string | undefined {
  const text = parts
    .join(' ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return text === '' ? undefined : text
}

/** What is not said, as banks write it. */
export const said = (text: string | undefined): string | undefined =>
  text === undefined || /^(NOTPROVIDED|NONREF|NOT PROVIDED|NA|N\/A)?$/i.test(text.trim())
    ? undefined
    : text.trim()

type Row = FormRows['rows'][number]
export type Entry = {
  line: number
  /** The reference of the bank, which no other entry has. */
  bankReference?: string | undefined
  account: string | undefined
  paid_at: string | undefined
  units: bigint | undefined
  currency: string | undefined
  counterparty?: string | undefined
  reference?: string | undefined
  /** What a processor kept back. */
  fee?: bigint | undefined
}

/** Collects the rows of a statement. An entry without a reference of the bank is named by account, day and its number in the file. */
export function statementRows() {
  const rows: Row[] = []
  const leftOut: FormRows['leftOut'][number][] = []
  const findings: FormRows['findings'][number][] = []
  const unique = namesApart()
  return {
    add({
      line,
      bankReference,
      account,
      units,
      paid_at,
      currency,
      fee = 0n,
      ...texts
    }: Entry): void {
      const number = rows.length + 1
      const malformed = (what: string) => rows.push({ line, malformed: `states no ${what}` })
      if (units === undefined) malformed('amount that can be read')
      else if (paid_at === undefined) malformed('day of booking')
      else {
        const id = said(bankReference) ?? [account ?? 'account', paid_at, number].join(' ')
        const counterparty = oneText(texts.counterparty)
        const reference = oneText(texts.reference)
        const value = {
          id: unique(id),
          amount: amountOf(units),
          ...(currency !== undefined && { currency }),
          paid_at,
          ...(counterparty !== undefined && { counterparty }),
          ...(reference !== undefined && { reference }),
          ...(fee > 0n && { fee: amountOf(fee) }),
        }
        rows.push({ line, value })
      }
    },
    malformed: (line: number, what: string) => rows.push({ line, malformed: what }),
    leaveOut: (line: number, reason: string) => leftOut.push({ line, reason }),
    find: (code: string, detail: string) => findings.push({ code, detail }),
    /** A finding where two sums differ that are to be one. */
    compare(what: string, stated: bigint | undefined, computed: bigint | undefined): void {
      if (stated === undefined || computed === undefined || stated === computed) return
      const detail = `${what}: the file states ${amountOf(stated)}, and its entries come to ${amountOf(computed)}.`
      findings.push({ code: 'statement_differs', detail })
    },
    rows: (says: FormRows['says']): FormRows => ({ rows, says, leftOut, findings }),
  }
}
export type StatementRows = ReturnType<typeof statementRows>
