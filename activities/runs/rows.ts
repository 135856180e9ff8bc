import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse/sync'
import { z } from 'zod'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { type ColumnReader, tooManyColumns } from '#domain/rails/input/columns.ts'
import type { Extraction } from '#domain/rails/input/documents.ts'
import { type Encoding, TextReader } from '#domain/rails/input/encoding.ts'
import { separators } from '#domain/rails/text/table.ts'

const rowFormats = ['csv', 'jsonl'] as const
/** A list as it was uploaded: CSV with a header, or one JSON object a line. */
export type RowSource = { format: (typeof rowFormats)[number]; stream: Readable }
/** The rows of a sheet, as they were read from its file; undefined without a sheet. */
export const csvOf = (sheet: Extraction | undefined): RowSource | undefined =>
  sheet?.text == null
    ? undefined
    : { format: 'csv', stream: Readable.from([Buffer.from(sheet.text)], { objectMode: false }) }

/** A record of a list as it was read: its value, or why it has none. */
type Read = { value: unknown } | { malformed: string }
type TakeRecord = (record: Read, line: number) => void

/** A record may not be longer, so that a file without line breaks is refused instead of being read into memory. */
const RECORD_CHARS_MAX = 65_536

/** A list to be read: its bytes, the schema of a row, and the caller's names of its columns. */
export type ReadList = {
  list: string
  source: RowSource
  schema: z.ZodType
  reader: ColumnReader
}
/** A record that is not a row: it cannot be parsed (`malformed`), or its schema refuses it (`row` by fields, `error`). */
export type WrongRecord = { line: number; index: number } & (
  | { malformed: string }
  | { row: unknown; error: z.ZodError }
)

/**
 * Reads a list from its stream and hands over each row once the schema has passed it; the stream is read on only when a piece's
 * rows are taken. A record that is wrong goes to `refuse`, which by default throws `input_rejected` with its line. What makes the
 * rest unreadable is always thrown. Answers how the bytes were read.
 */
export async function eachRow(
  { list, source: { format, stream }, schema, reader }: ReadList,
  take: (row: unknown, index: number) => void,
  refuse: (wrong: WrongRecord) => void = (wrong) => refuseRecord(list, wrong),
): Promise<Encoding> {
  let index = -1
  const text = new TextReader()
  const read = format === 'csv' ? readCsv : readJsonLines
  await read({ list, schema, reader }, { stream, text }, (record, line) => {
    index += 1
    if ('malformed' in record) return refuse({ line, index, ...record })
    // The columns of CSV are read by their fields once, in the header.
    const row = format === 'csv' ? record.value : reader.take(record.value)
    if (reader.overflows()) throw rejected(list, line, tooManyColumns)
    const { data, error } = schema.safeParse(row)
    if (error === undefined) take(data, index)
    else refuse({ line, index, row, error })
  })
  return text.encoding
}

function refuseRecord(list: string, wrong: WrongRecord): never {
  const what = 'malformed' in wrong ? wrong.malformed : firstIssue(wrong.error)
  throw rejected(list, wrong.line, what)
}

type Named = Omit<ReadList, 'source'>
/** The bytes of a list, and the reader of their text. */
type Bytes = Pick<RowSource, 'stream'> & { text: TextReader }

async function readJsonLines(
  { list }: Pick<Named, 'list'>,
  bytes: Bytes,
  take: TakeRecord,
): Promise<void> {
  let [rest, line] = ['', 0]
  const takeLine = (text: string) => {
    line += 1
    if (text.length > RECORD_CHARS_MAX) throw tooLong(list, line)
    if (text.trim() !== '') take(parseJson(text), line)
  }
  for await (const text of textOf(list, bytes, () => line + 1)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const whole of lines) takeLine(whole)
    if (rest.length > RECORD_CHARS_MAX) throw tooLong(list, line + 1)
  }
  takeLine(rest)
}

function parseJson(text: string): Read {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { malformed: 'is not JSON' }
  }
}

/** Takes whole records off the text, as many as have come; where no cell is quoted, delimiters and line breaks are all there is. */
async function readCsv(named: Named, bytes: Bytes, take: TakeRecord): Promise<void> {
  const { list } = named
  let columns: Column[] | undefined
  let delimiter: string | undefined
  let [rest, line] = ['', 1]
  const takeCells: TakeCells = (cells, at) => {
    if (columns === undefined) columns = columnsOf(named, cells)
    else if (cells.length === columns.length) take({ value: rowOf(columns, cells) }, at)
    else take({ malformed: `has ${cells.length} cells, and the header ${columns.length}` }, at)
  }
  const takeRecords = (text: string) => {
    if (text.trim() !== '') delimiter ??= delimiterOf(text)
    const read = text.includes('"') ? readQuoted : readPlain
    read({ list, delimiter: delimiter ?? ',' }, { text, line }, takeCells)
    line += text.split('\n').length - 1
  }
  for await (const text of textOf(list, bytes, () => line)) {
    rest += text
    const end = endOfRecords(rest)
    takeRecords(rest.slice(0, end))
    rest = rest.slice(end)
    if (rest.length > RECORD_CHARS_MAX) throw tooLong(list, line)
  }
  takeRecords(rest)
  if (columns === undefined) throw rejected(list, 1, 'has no header')
}

type TakeCells = (cells: string[], line: number) => void

/** Where the last whole record ends of a text that begins with one: after a line break outside of quotes. */
function endOfRecords(text: string): number {
  if (!text.includes('"')) return text.lastIndexOf('\n') + 1
  let [at, end] = [0, 0]
  for (const [index, part] of text.split('"').entries()) {
    const lineBreak = index % 2 === 0 ? part.lastIndexOf('\n') : -1
    if (lineBreak !== -1) end = at + lineBreak + 1
    at += part.length + 1
  }
  return end
}

/** What stands most often between the cells of the first record; a comma where nothing does. */
function delimiterOf(text: string): string {
  const counts = new Map<string, number>(separators.map((sign) => [sign, 0]))
  let isQuoted = false
  let isBegun = false
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (sign === '\n' && isBegun) break
    isBegun ||= sign.trim() !== ''
    const count = counts.get(sign)
    if (count !== undefined) counts.set(sign, count + 1)
  }
  const [[first, most]] = [...counts].sort(([, one], [, other]) => other - one) as [
    [string, number],
  ]
  return most === 0 ? ',' : first
}

type Table = { list: string; delimiter: string }
/** Records, the first of which begins on a line. */
type Records = { text: string; line: number }

function readPlain(
  { list, delimiter }: Table,
  { text, line: firstLine }: Records,
  take: TakeCells,
): void {
  for (const [index, ended] of text.split('\n').entries()) {
    const record = ended.endsWith('\r') ? ended.slice(0, -1) : ended
    if (record.length > RECORD_CHARS_MAX) throw tooLong(list, firstLine + index)
    if (record !== '') take(record.split(delimiter), firstLine + index)
  }
}

function readQuoted(
  { list, delimiter }: Table,
  { text, line: firstLine }: Records,
  take: TakeCells,
): void {
  try {
    parse(text, {
      delimiter,
      skip_empty_lines: true,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n'],
      max_record_size: RECORD_CHARS_MAX,
      on_record: (cells: string[], { lines }) => {
        take(cells, firstLine + lines - 1)
        return null
      },
    })
  } catch (error) {
    if (error instanceof CsvError)
      throw rejected(list, firstLine + Number(error['lines']) - 1, error.message)
    throw error
  }
}

/** `name` is the field; undefined for a column that is not read. */
type Column = { name: string | undefined; numeric: boolean }

/**
 * Cells are texts: those of a numeric field become numbers, and an empty cell, also `NULL` or `n/a`, is a field that is left out. Columns that a schema
 * does not name are refused, unless it is a loose one.
 */
function columnsOf({ list, schema, reader }: Named, header: string[]): Column[] {
  const names = header.map((name) => name.trim())
  const { properties = {}, additionalProperties } = z.toJSONSchema(schema, { io: 'input' })
  for (const name of names) reader.note(name)
  return names.map((column, index) => {
    if (names.indexOf(column) !== index) throw rejected(list, 1, `has the column ${column} twice`)
    const name = reader.fieldOf(column)
    if (name === undefined) return { name: undefined, numeric: false }
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (typeof field !== 'object' && additionalProperties === false)
      throw rejected(
        list,
        1,
        `has the unknown column ${name}; known are ${Object.keys(properties).join(', ')}`,
      )
    const type = typeof field === 'object' ? field.type : undefined
    return { name, numeric: type === 'integer' || type === 'number' }
  })
}

/** What exports write into a cell that holds nothing. */
const nothing: ReadonlySet<string> = new Set(['', 'NULL', 'null', 'NaN', 'n/a', 'N/A'])

function rowOf(columns: Column[], cells: string[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  let at = 0
  for (const { name, numeric } of columns) {
    const cell = cells[at++] ?? ''
    if (name !== undefined && !nothing.has(cell))
      row[name] = numeric && /^[-+]?[0-9]{1,16}(\.0*)?$/.test(cell) ? Number(cell) : cell
  }
  return row
}

async function* textOf(
  list: string,
  { stream, text: reader }: Bytes,
  lineNow: () => number,
): AsyncGenerator<string> {
  const decode = (piece?: Uint8Array) => {
    try {
      return piece === undefined ? reader.end() : reader.take(piece)
    } catch {
      throw rejected(list, lineNow(), `or one soon after it is not ${reader.encoding}`)
    }
  }
  for await (const piece of stream) yield decode(piece)
  yield decode()
}

function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues
  return `is refused: ${[...(issue?.path ?? []), ''].join(': ')}${issue?.message}`
}

function tooLong(list: string, line: number): DomainError {
  return rejected(list, line, `is longer than ${RECORD_CHARS_MAX} characters`)
}

function rejected(list: string, line: number, what: string): DomainError {
  return refuse('input_rejected', {
    detail: `Line ${line} of ${list} ${what}.`,
    next_action: 'Correct the list and upload it again.',
  })
}
