import type { MoneyUnit } from '../input/corrections.ts'
import { type DecimalSign, readNumber } from '../input/numbers.ts'
import { type DateOrder, readTime } from '../input/times.ts'
import type { CellKind, Field } from './table-columns.ts'

/** A column that feeds fields, and how its cells are written as far as they have decided it. */
export type Column = {
  at: number
  name: string
  fields: readonly Field[]
  numbers: DecimalSign | undefined
  dates: DateOrder | undefined
  units: MoneyUnit | undefined
  /** The first cells that can be read in two ways, until one decides: its number or date, and its unit. */
  open: Cell | undefined
  openUnit: Cell | undefined
}
/** A cell in its line of the file. */
type Cell = { line: number; cell: string }

/** What exports write into a cell that holds nothing. */
const nothing: ReadonlySet<string> = new Set(['', 'NULL', 'null', 'NaN', 'n/a', 'N/A'])
const noValue: ReadonlySet<string> = new Set(['-', '–', '—', 'NA', '#N/A', 'None', 'none', 'nan'])
export const isNothing = (cell: string, kind: CellKind): boolean =>
  nothing.has(cell) || (kind !== 'text' && (nothing.has(cell.trim()) || noValue.has(cell.trim())))

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  y: true,
  '1': true,
  false: false,
  no: false,
  n: false,
  '0': false,
}

/** The value of a cell; what cannot be read is left for the schema to refuse. */
export function valueIn(cell: string, { kind, isNumeric }: Field, column: Column): unknown {
  if (kind === 'truth') return truths[cell.toLowerCase()] ?? cell
  if (kind === 'code') return /^[a-z]{3,5}$/.test(cell) ? cell.toUpperCase() : cell
  if (kind === 'text' || (kind === 'time' && isoTime.test(cell))) return cell
  if (kind === 'number' || kind === 'whole') {
    if (digits.test(cell)) return isNumeric ? Number(cell) : cell
    const text = numberText(cell, kind === 'whole', column.numbers)
    if (text === undefined) return cell
    return isNumeric && /^-?[0-9]{1,16}(\.0*)?$/.test(text) ? Number(text) : text
  }
  if (kind !== 'time' && kind !== 'day') return cell
  const read = readTime(cell)
  if (read === undefined || (column.dates !== undefined && isOther(read, column.dates))) return cell
  const text = 'by' in read ? read.by[column.dates ?? 'day_first'] : read.text
  return kind === 'day' ? text.replace(/T00:00:00(\.0*)?Z?$/, '') : text
}

const isOther = (read: NonNullable<ReturnType<typeof readTime>>, order: DateOrder): boolean =>
  'order' in read && read.order !== undefined && read.order !== order

function numberText(
  cell: string,
  isWhole: boolean,
  decided: DecimalSign | undefined,
): string | undefined {
  const read = readNumber(cell, isWhole)
  if (read === undefined) return undefined
  if ('by' in read) return read.by[decided ?? 'point']
  return read.sign !== undefined && decided !== undefined && read.sign !== decided
    ? undefined
    : read.text
}

const digits = /^-?[0-9]{1,15}$/
const isoTime = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z)?$/

/** Whether a cell has one reading at first sight, and decides nothing. */
export function isPlain(cell: string, { kind, money }: Field, { units }: Column): boolean {
  if (kind === 'time') return isoTime.test(cell)
  const isNumber = kind === 'whole' || kind === 'number'
  return isNumber && (money === undefined || units !== undefined) && digits.test(cell)
}

/** Lets a cell decide the order of its column's dates; answers whether it is open. */
export function lookAtTime(column: Column, { cell, line }: Cell): boolean {
  if (column.dates !== undefined) return false
  const read = readTime(cell)
  if (read !== undefined && 'by' in read) {
    column.open ??= { line, cell }
    return true
  }
  if (read?.order === undefined) return false
  column.dates = read.order
  column.open = undefined
  return false
}

/** Lets a cell decide the decimal sign of its column, and the unit of amounts; answers whether it is open. */
export function lookAtNumber(
  column: Column,
  { kind, money, name }: Field,
  { cell, line }: Cell,
): boolean {
  if (column.numbers !== undefined && (money === undefined || column.units !== undefined))
    return false
  const read = readNumber(cell, kind === 'whole')
  if (read === undefined) return false
  if ('sign' in read && read.sign !== undefined) {
    column.numbers ??= read.sign
    column.open = undefined
  }
  if ('by' in read && column.numbers === undefined) {
    column.open ??= { line, cell }
    return true
  }
  if (name !== money?.major || column.units !== undefined) return false
  const text = 'by' in read ? read.by[column.numbers ?? 'point'] : read.text
  if (text.includes('.')) {
    column.units = 'major'
    column.openUnit = undefined
    return false
  }
  if (Number(text) === 0) return false
  column.openUnit ??= { line, cell }
  return true
}
