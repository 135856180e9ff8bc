import type { CellTable } from '../../form.ts'
import { columnNumbers, columnTimes } from '../../tables/column-cells.ts'
import { keyOf } from '../../text/table.ts'
import { unitsOf } from './statement.ts'

/** A heading without the currency at its end: `Betrag (EUR)` is `betrag`. */
export const headingKey = (heading: string): string => keyOf(withoutCurrency(heading))
const withoutCurrency = (heading: string) =>
  heading.replace(/[\s_]*[([]?\b(?:in )?([A-Z]{3}|[€£$])[)\]]?$/u, '') || heading

/** The currency at the end of a heading; a dollar sign is of many. */
export function headingCurrency(heading: string): string | undefined {
  const [, sign] = /[\s_([](?:in )?([A-Z]{3}|€|£)[)\]]?$/u.exec(heading) ?? []
  if (sign === '€') return 'EUR'
  return sign === '£' ? 'GBP' : sign
}

/** The first column of each of these headings, in the order in which they are named. */
export function columnsOf({ header }: CellTable, headings: readonly string[]): number[] {
  const keys = header.map(headingKey)
  const found = headings.map((heading) => keys.indexOf(headingKey(heading)))
  return [...new Set(found.filter((at) => at !== -1))]
}

export type CellsRead<Value> = (cell: string) => Value | undefined

/** The amounts of columns that are written in one way; a cell that could be read in two is none, where no cell decides. */
export function numbersOf(table: CellTable, columns: readonly number[]): CellsRead<bigint> {
  const numberIn = columnNumbers(cellsIn(table, columns))
  return (cell) => unitsOf(numberIn(cell))
}

/** Days of a column that are written in one order. */
export function daysOf(table: CellTable, column: number): CellsRead<string> {
  const timeIn = columnTimes(cellsIn(table, [column]))
  return (cell) => timeIn(cell)?.slice(0, 10)
}

const cellsIn = ({ records }: CellTable, columns: readonly number[]): string[] =>
  records.flatMap(({ cells }) => columns.map((at) => cells[at] ?? ''))
