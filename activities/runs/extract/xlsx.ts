import { pointerOf } from '#domain/core/json-pointer.ts'
import type { InputFault } from '#domain/rails/input/input-faults.ts'
import { cleaned, tooManyChars } from './placed-text.ts'
import { type Cell, columnName, readCells } from './sheet-cells.ts'
import { extractLimits, Unreadable } from './unreadable.ts'
import { openWorkbook } from './workbook.ts'

/** The rows of a sheet as CSV, or the faults of its cells, placed in the list that the sheet stands for. */
export type SheetRows = { sheet: string; csv: string } | { faults: InputFault[] }

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
