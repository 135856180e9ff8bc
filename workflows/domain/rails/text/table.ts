import type { Part } from './words.ts'

/** A row of a table with its cells by the names of the columns, and where its line stands. */
type Row = Part & { cells: Map<string, string> }
/** `isTitled`: lines of prose or of names and values stand before it. */
export type Table = { columns: string[]; rows: Row[]; isTitled: boolean }

/** What parts the cells of tables in use: RFC 4180, and its variants. */
export const separators = [',', ';', '\t', '|'] as const
const COLUMN_CHARS_MAX = 60

/** The table that a text is: a first line of names, and lines of as many cells as that (RFC 4180, or another separator); else undefined. */
export function tableIn(text: string): Table | undefined {
  for (const separator of separators) {
    const { lines, isTitled } = linesOf(text, separator)
    const [head, ...body] = lines
    if (head === undefined || body.length === 0 || head.cells.length < 2) continue
    const names = head.cells.filter((cell) => cell !== '')
    const isNamed = names.every(
      (cell) => /\p{L}/u.test(cell) && cell.length <= COLUMN_CHARS_MAX && !/[.!?]$/.test(cell),
    )
    if (!isNamed || names.length < 2) continue
    const columns = columnsOf(head.cells)
    return {
      columns,
      isTitled,
      rows: body.map(({ cells, from, to }) => ({
        from,
        to,
        cells: new Map(columns.map((column, at) => [column, cells[at] ?? ''])),
      })),
    }
  }
  return undefined
}

/** A column without a name, or with that of an earlier one, has its number in front. */
function columnsOf(cells: readonly string[]): string[] {
  const keys = cells.map(keyOf)
  const seen = new Set<string>()
  return keys.map((key, at) =>
    key === '' || seen.size === seen.add(key).size
      ? `column_${at + 1}_${key}`.replace(/_$/, '')
      : key,
  )
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

/** A table may have a title: so many lines of one cell before its columns. */
const TITLE_LINES_MAX = 5

/** The records of a text that are no blank lines, all as long as the first; a quoted cell may hold separators, line breaks and doubled quotes. */
function linesOf(text: string, separator: string): { lines: Line[]; isTitled: boolean } {
  const none = { lines: [], isTitled: false }
  const lines: Line[] = []
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator === '|' ? '\\|' : separator}|\\r?\\n|$)`,
    'gy',
  )
  let titles = 0
  let cells: string[] = []
  let from = 0
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text)
    if (match === null) return none
    const [, quoted, plain = '', end] = match
    cells.push((quoted?.replaceAll('""', '"') ?? plain).trim())
    if (end === separator && cell.lastIndex < text.length) continue
    if (end === separator) cells.push('')
    const isTitle = lines.length === 0 && cells.length === 1
    if (isTitle && cells[0] !== '') titles += 1
    const width = lines[0]?.cells.length ?? cells.length
    // Lines of other lengths are no table, unless cells without a column are empty: the rest need not be read.
    if (titles > TITLE_LINES_MAX) return none
    if (cells.join('') !== '' && !isTitle) {
      if (cells.length < width || cells.slice(width).join('') !== '') return none
      lines.push({ cells, from, to: cell.lastIndex - (end === separator ? 0 : (end ?? '').length) })
    }
    cells = []
    from = cell.lastIndex
  }
  return { lines, isTitled: titles > 0 }
}
