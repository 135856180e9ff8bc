import { type NumberRead, readNumber } from '../input/numbers.ts'
import { readTime, type TimeRead } from '../input/times.ts'

/** Reads a cell of a column; undefined where it has no value, or one that no other cell makes clear. */
type ReadCell = (cell: string) => string | undefined

/** Reads the numbers of a column as plain decimals. What a comma is, is decided over all of its cells. */
export function columnNumbers(cells: readonly string[]): ReadCell {
  const sign = onlyOne(cells.map((cell) => signOf(readNumber(cell))))
  return (cell) => {
    const read = readNumber(cell)
    if (read === undefined) return undefined
    if ('by' in read) return sign === undefined ? undefined : read.by[sign]
    const isOther = sign !== undefined && read.sign !== undefined && read.sign !== sign
    return isOther ? undefined : read.text
  }
}

/** Reads the days and times of a column in ISO 8601. Whether the day or the month is first is decided over all of its cells. */
export function columnTimes(cells: readonly string[]): ReadCell {
  const order = onlyOne(cells.map((cell) => orderOf(readTime(cell))))
  return (cell) => {
    const read = readTime(cell)
    if (read === undefined) return undefined
    if ('by' in read) return order === undefined ? undefined : read.by[order]
    return read.order !== undefined && read.order !== order ? undefined : read.text
  }
}

const signOf = (read: NumberRead | undefined) =>
  read !== undefined && 'sign' in read ? read.sign : undefined
const orderOf = (read: TimeRead | undefined) =>
  read !== undefined && 'order' in read ? read.order : undefined

/** The one value that is there; undefined where there is none, or there are several. */
function onlyOne<Value>(values: readonly (Value | undefined)[]): Value | undefined {
  const [first, ...others] = new Set(values.filter((value) => value !== undefined))
  return others.length === 0 ? first : undefined
}
