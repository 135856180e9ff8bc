import type { Part } from '../words.ts'

/** A row of a table with its cells by the names of the columns, and where its line stands. */
type Row = Part & { cells: Map<string, string> }
export type Table = { columns: string[]; rows: Row[] }

const separators = [',', ';', '\t', '|']
const COLUMN_CHARS_MAX = 60

/** The table that a text is: a first line of names, and lines of as many cells as that (RFC 4180, or another separator); else undefined. */
export function tableIn(text: string): Table | undefined {
  for (const separator of separators) {
    const lines = linesOf(text, separator).filter(({ cells }) => cells.some((cell) => cell !== ''))
    const [head, ...body] = lines
    if (head === undefined || body.length === 0 || head.cells.length < 2) continue
    const named = head.cells.every(
      (cell) => /\p{L}/u.test(cell) && cell.length <= COLUMN_CHARS_MAX && !/[.!?]$/.test(cell),
    )
    if (!named || body.some(({ cells }) => cells.length !== head.cells.length)) continue
    const columns = head.cells.map(keyOf)
    return {
      columns,
      rows: body.map(({ cells, from, to }) => ({
        from,
        to,
        cells: new Map(columns.map((column, at) => [column, cells[at] ?? ''])),
      })),
    }
  }
  return undefined
}

/** `mfaEnforced`, `MFA enforced` and `mfa-enforced` are one key: `mfa_enforced`. */
export function keyOf(name: string): string {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
}

type Line = Part & { cells: string[] }

/** The records of a text; a quoted cell may hold separators, line breaks and doubled quotes. */
function linesOf(text: string, separator: string): Line[] {
  const lines: Line[] = []
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator === '|' ? '\\|' : separator}|\\r?\\n|$)`,
    'gy',
  )
  let cells: string[] = []
  let from = 0
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text)
    if (match === null) return []
    const [, quoted, plain = '', end] = match
    cells.push((quoted?.replaceAll('""', '"') ?? plain).trim())
    if (end === separator && cell.lastIndex < text.length) continue
    if (end === separator) cells.push('')
    // Lines of other lengths are no table: the rest need not be read.
    if (lines[0] !== undefined && lines[0].cells.length !== cells.length && cells.join('') !== '')
      return []
    lines.push({ cells, from, to: cell.lastIndex - (end === separator ? 0 : (end ?? '').length) })
    cells = []
    from = cell.lastIndex
  }
  return lines
}
