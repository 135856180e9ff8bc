import { printable } from '../../core/plain-text.ts'
import type { Cell } from './cells.ts'
import { isDecimal } from './decimal-text.ts'
import type { Table } from './tables.ts'

/** What a spreadsheet would take for the begin of a formula, also in its fullwidth form. */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u
/** The same behind a semicolon, where a spreadsheet with this separator begins a cell; signed numbers are none. */
const innerFormula = /(;\s*)(?=[=@＝＋－＠]|[+-](?![\d.,]+(?:[\s;%]|$)))/gu

/**
 * A table as RFC 4180 text with a header. Texts are quoted, control characters and bidi overrides in them are U+FFFD, and a
 * text that a spreadsheet would run as a formula begins with an apostrophe. Numbers and decimal texts stay as they are.
 */
export const csvOf = ({ columns, rows }: Pick<Table, 'columns' | 'rows'>): string =>
  [columns, ...rows].map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('')

function fieldOf(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string' || isDecimal(cell)) return String(cell)
  const text = formula.test(cell) ? `'${cell}` : String(cell)
  return `"${printable(text.replace(innerFormula, "$1'")).replaceAll('"', '""')}"`
}
