import { pointerOf } from '#domain/core/json-pointer.ts'
import type { InputFault } from '#domain/rails/input/input-faults.ts'

import { dateText, decimalText } from './cell-value.ts'
import { cleaned, tooManyChars } from './placed-text.ts'
import { extractLimits, Unreadable } from './unreadable.ts'
import { openWorkbook, type Workbook } from './workbook.ts'
import { handlersOf, readXml } from './xml.ts'

/** The rows of a sheet as CSV, or the faults of its cells, placed in the list that the sheet stands for. */
type SheetRows = { sheet: string; csv: string } | { faults: InputFault[] }

/** Reading stops after so many faulty cells. */
const FAULTS_MAX = 10_000

/**
 * Reads a sheet of an XLSX file, by its name or the first, as the CSV (RFC 4180) of its rows that have cells; the first of them is
 * the header. Throws `Unreadable`.
 */
export function readSheet(bytes: Uint8Array, wanted: string | null, list: string): SheetRows {
  const workbook = openWorkbook(bytes, wanted)
  const lines: string[] = []
  const faults: InputFault[] = []
  let header: string[] | undefined
  let chars = 0
  readCells(workbook, (cells, row) => {
    const index = lines.length - 1
    for (const [column, cell] of cells)
      if ('fault' in cell && faults.length < FAULTS_MAX)
        faults.push(faultOf(cell.fault, { list, index, name: header?.[column], column, row }))
    const texts = textsOf(cells, header?.length ?? 0)
    header ??= texts
    const line = texts.map(quoted).join(',')
    chars += line.length + 1
    if (chars > extractLimits.sheetCharsMax) throw tooManyChars(extractLimits.sheetCharsMax)
    lines.push(line)
    if (lines.length > extractLimits.sheetRowsMax)
      throw new Unreadable(`has more than ${extractLimits.sheetRowsMax} rows: send it as CSV`)
  })
  if (header === undefined)
    throw new Unreadable(`has no cells in the sheet ${JSON.stringify(workbook.sheet)}`)
  if (faults.length > 0) return { faults }
  return { sheet: workbook.sheet, csv: `${lines.join('\n')}\n` }
}

/** The texts of a row, as many as the header has; more where there are more. */
function textsOf(cells: ReadonlyMap<number, Cell>, width: number): string[] {
  const columns = Math.max(width, 1 + Math.max(...cells.keys()))
  if (columns > extractLimits.sheetColumnsMax)
    throw new Unreadable(`has more than ${extractLimits.sheetColumnsMax} columns`)
  return Array.from({ length: columns }, (_, column) => {
    const cell = cells.get(column)
    return cell !== undefined && 'text' in cell ? cleaned(cell.text) : ''
  })
}

const quoted = (cell: string): string =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

type Faulty = {
  list: string
  /** The index of the row in the list; -1 for the header. */
  index: number
  /** The header of its column. */
  name: string | undefined
  column: number
  /** The number of the row in the sheet, from 1. */
  row: number
}

function faultOf(message: string, { list, index, name, column, row }: Faulty): InputFault {
  const place = columnName(column)
  const field = name === undefined || name === '' ? place : name
  const at = { message, value: JSON.stringify(`${place}${row}`) }
  const kind = 'wrong_format'
  if (index < 0)
    return { kind, ...at, field: pointerOf([list]), pointer: pointerOf([list]), row: null }
  return {
    kind,
    ...at,
    field: pointerOf([list, '*', field]),
    pointer: pointerOf([list, index, field]),
    row: index,
  }
}

/** A cell as text, or why it has none. */
type Cell = { text: string } | { fault: string }
type TakeRow = (cells: ReadonlyMap<number, Cell>, row: number) => void
type OpenCell = { at: number; type: string; style: number; value: string | null; formula: boolean }

/** Hands over the rows of a sheet that have cells, with their numbers (from 1) and their cells by column (from 0). Throws `Unreadable`. */
function readCells(workbook: Workbook, take: TakeRow): void {
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
function columnName(column: number): string {
  const rest = Math.floor(column / 26)
  const last = String.fromCharCode(65 + (column % 26))
  return rest === 0 ? last : columnName(rest - 1) + last
}
