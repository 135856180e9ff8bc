import { dateText, decimalText } from './cell-value.ts'
import { extractLimits, Unreadable } from './unreadable.ts'
import type { Workbook } from './workbook.ts'
import { handlersOf, readXml } from './xml.ts'

/** A cell as text, or why it has none. */
export type Cell = { text: string } | { fault: string }
type TakeRow = (cells: ReadonlyMap<number, Cell>, row: number) => void
type OpenCell = { at: number; type: string; style: number; value: string | null; formula: boolean }

/** Hands over the rows of a sheet that have cells, with their numbers (from 1) and their cells by column (from 0). Throws `Unreadable`. */
export function readCells(workbook: Workbook, take: TakeRow): void {
  let [row, column, count] = [0, -1, 0]
  let cells = new Map<number, Cell>()
  let open: OpenCell | undefined
  let [isText, inReading] = [false, false]
  const opens = handlersOf<[Readonly<Record<string, string>>]>({
    row: ({ r }) => {
      const next = r === undefined ? row + 1 : Number(r)
      if (!Number.isInteger(next) || next <= row) throw new Unreadable('has rows out of order')
      row = next
      column = -1
      cells = new Map()
    },
    c: ({ r, t = 'n', s = '0' }) => {
      count += 1
      if (count > extractLimits.cellsMax)
        throw new Unreadable(`has more than ${extractLimits.cellsMax} cells`)
      column = r === undefined ? column + 1 : columnOf(r)
      open = { at: column, type: t, style: Number(s), value: null, formula: false }
    },
    f: () => {
      if (open !== undefined) open.formula = true
    },
    v: () => {
      isText = true
      if (open !== undefined) open.value = ''
    },
    t: () => {
      isText = !inReading
      if (open !== undefined) open.value ??= ''
    },
    rPh: () => {
      inReading = true
    },
  })
  const closes = handlersOf({
    v: () => (isText = false),
    t: () => (isText = false),
    rPh: () => (inReading = false),
    c: () => {
      const cell = open && cellOf(open, workbook)
      if (cell !== undefined && open !== undefined) cells.set(open.at, cell)
      open = undefined
    },
    row: () => {
      if (cells.size > 0) take(cells, row)
    },
  })
  readXml(workbook.xml, {
    open: (name, attributes) => opens.get(name)?.(attributes),
    close: (name) => closes.get(name)?.(),
    text: (text) => {
      if (isText && open !== undefined) open.value = (open.value ?? '') + text
    },
  })
}

/** The text that a cell holds by its type and style; undefined for an empty one. A formula counts by its stored value. */
function cellOf(cell: OpenCell, { strings, kinds, system }: Workbook): Cell | undefined {
  const { type, style, value, formula } = cell
  if (formula && (value === null || (value === '' && type !== 'str')))
    return { fault: 'is a formula without a stored value' }
  if (value === null || (value === '' && type !== 's')) return undefined
  if (type === 'inlineStr' || type === 'str' || type === 'd') return { text: value }
  if (type === 'b') return { text: value === '1' ? 'true' : 'false' }
  if (type === 'e') return { fault: `holds the error ${value.slice(0, 20)}` }
  if (type === 's') {
    const text = /^\d{1,9}$/.test(value) ? strings[Number(value)] : undefined
    if (text === '') return undefined
    return text === undefined ? { fault: 'refers to a text that is not there' } : { text }
  }
  const kind = kinds[style] ?? 'number'
  const text = kind === 'number' ? decimalText(value) : dateText(value, kind, system)
  if (text !== undefined) return { text }
  return { fault: kind === 'number' ? 'is no number' : 'is no date of the date system of the file' }
}

/** The column of a reference such as `AB12`, from 0. */
function columnOf(reference: string): number {
  const letters = /^([A-Z]{1,3})\d{1,7}$/.exec(reference)?.[1]
  if (letters === undefined) throw new Unreadable('has a cell without a place')
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** `AB` for 27. */
export function columnName(column: number): string {
  const rest = Math.floor(column / 26)
  const last = String.fromCharCode(65 + (column % 26))
  return rest === 0 ? last : columnName(rest - 1) + last
}
