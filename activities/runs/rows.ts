import { Readable } from 'node:stream'
import type { z } from 'zod'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { jsonOf } from '#domain/core/strict-json.ts'
import type { Form, FormRows, Headings } from '#domain/rails/form.ts'
import { type ColumnReader, tooManyColumns } from '#domain/rails/input/columns.ts'
import type { ListCorrections } from '#domain/rails/input/corrections.ts'
import type { Extraction } from '#domain/rails/input/documents.ts'
import { TextReader } from '#domain/rails/input/encoding.ts'
import { type LeftOut, leftOutOf, type Reading, shownColumns } from '#domain/rails/input/reading.ts'
import type { Finding } from '#domain/rails/rail.ts'
import { type Question, TableReader } from '#domain/rails/tables/table-reader.ts'
import {
  cellTable,
  endOfRecords,
  headerOf,
  RECORD_CHARS_MAX,
  recordsIn,
  tooLong,
  WrongLine,
} from './csv.ts'
import { Unreadable } from './extract/unreadable.ts'
import { xmlTree } from './extract/xml.ts'

const rowFormats = ['csv', 'jsonl'] as const
/** A list as it was uploaded: `jsonl` is one JSON object a line; the content shows the form of another text. */
export type RowSource = { format: (typeof rowFormats)[number]; stream: Readable }
/** The rows of a sheet, as they were read from its file; undefined without a sheet. */
export const csvOf = (sheet: Extraction | undefined): RowSource | undefined =>
  sheet?.text == null
    ? undefined
    : { format: 'csv', stream: Readable.from([Buffer.from(sheet.text)], { objectMode: false }) }

/** A list to be read: its bytes, the schema of a row, its forms, and what the caller says of it. */
export type ReadList = {
  list: string
  source: RowSource
  schema: z.ZodType
  reader: ColumnReader
  forms?: readonly Form[] | undefined
  headings?: Headings | undefined
  corrections?: ListCorrections
}
/** A record that is not a row: it cannot be parsed (`malformed`), or its schema refuses it (`row` by fields, `error`). */
export type WrongRecord = { line: number; index: number } & (
  | { malformed: string }
  | { row: unknown; error: z.ZodError }
)
/** Where the records of a list go that are no rows, and what its file leaves open. */
export type Refusing = {
  record(wrong: WrongRecord): void
  question(question: Question): void
}
type Take = (row: unknown, index: number) => void

/** A file may be so long that is read as a whole, to be recognised by its content. */
const WHOLE_CHARS_MAX = 64 * 1024 * 1024
/** So much of the begin of a text shows its form, and where its header is. */
const SAMPLE_CHARS = 65_536

/**
 * Reads a list from its stream and hands over each row once the schema has passed it; the stream is read on only when a piece's
 * rows are taken. A record that is wrong goes to `refusing`, which by default throws `input_rejected` with its line. What makes the
 * rest unreadable is always thrown. Answers how the list was read, and what its file says that its rows do not come to.
 */
export async function eachRow(
  named: ReadList,
  take: Take,
  refusing: Refusing = refusingAll(named.list),
): Promise<{ reading: Reading; findings: readonly Finding[] }> {
  const text = new TextReader()
  try {
    const rows = new RowTaker(named, take, refusing)
    const { form, ...read } = await readText(named, textOf(named.source.stream, text), rows)
    const { rows: count, leftOut } = rows.end()
    const all = [...(read.leftOut?.all ?? []), ...leftOut]
    const constants = Object.entries(named.corrections?.constants ?? {})
    return {
      findings: (read.findings ?? []).map((finding) => ({
        ...finding,
        citations: [{ pointer: `/${named.list}` }],
      })),
      reading: {
        form,
        encoding: text.encoding,
        delimiter: read.delimiter ?? null,
        header_line: read.header_line ?? null,
        columns: shownColumns(read.columns ?? []),
        numbers: read.numbers ?? null,
        dates: read.dates ?? null,
        units: read.units ?? null,
        constants: Object.fromEntries(constants.flatMap(([name, value = '']) => [[name, value]])),
        says: read.says ?? {},
        rows: count,
        left_out: leftOutOf(all, (read.leftOut?.count ?? 0) + leftOut.length),
      },
    }
  } catch (error) {
    if (error instanceof WrongLine) throw rejected(named.list, error.line, error.message)
    throw error
  }
}

/** What reading a text came to; `form` is what it was recognised as. */
type ReadText = Pick<Reading, 'form'> &
  Partial<Pick<Reading, 'delimiter' | 'header_line' | 'columns' | 'numbers' | 'dates' | 'units'>> &
  Partial<Pick<FormRows, 'says' | 'findings'>> & {
    leftOut?: { all: readonly LeftOut[]; count: number }
  }

function refusingAll(list: string): Refusing {
  return {
    record: (wrong) => {
      const what = 'malformed' in wrong ? wrong.malformed : firstIssue(wrong.error)
      throw rejected(list, wrong.line, what)
    },
    question: ({ line, field, cell, message }) => {
      const what = `has ${JSON.stringify(cell)} for ${field}, which can be read in more than one way: ${message}`
      throw rejected(list, line, what)
    },
  }
}

/** Checks the records of a list by the schema of its rows, and leaves out the lines that the caller accepts not to be read. */
class RowTaker {
  readonly #named: ReadList
  readonly #take: Take
  readonly #refusing: Refusing
  readonly #leaveOut: Set<number>
  readonly #leftOut: LeftOut[] = []
  #index = -1

  constructor(named: ReadList, take: Take, refusing: Refusing) {
    this.#named = named
    this.#take = take
    this.#refusing = refusing
    this.#leaveOut = new Set(named.corrections?.leave_out)
  }

  row(row: unknown, line: number): void {
    const { schema, reader } = this.#named
    if (reader.overflows()) throw new WrongLine(line, tooManyColumns)
    const { data, error } = schema.safeParse(row)
    const wrong = error === undefined ? undefined : { row, error }
    if (this.#isAccepted(line, wrong === undefined)) return
    this.#index += 1
    if (wrong === undefined) this.#take(data, this.#index)
    else this.#refusing.record({ line, index: this.#index, ...wrong })
  }

  malformed(what: string, line: number): void {
    if (this.#isAccepted(line, false)) return
    this.#index += 1
    this.#refusing.record({ line, index: this.#index, malformed: what })
  }

  question(question: Question): void {
    this.#refusing.question(question)
  }

  refuse(line: number, what: string): never {
    throw new WrongLine(line, what)
  }

  /** Whether the caller accepts that this line is left out; one that can be read is not. */
  #isAccepted(line: number, isReadable: boolean): boolean {
    if (isReadable || !this.#leaveOut.delete(line)) return false
    this.#leftOut.push({ line, reason: 'cannot be read, as the caller accepts' })
    return true
  }

  end(): { rows: number; leftOut: readonly LeftOut[] } {
    const [line] = this.#leaveOut
    if (line !== undefined)
      throw new WrongLine(line, 'is to be left out, and it can be read or is not there')
    return { rows: this.#index + 1, leftOut: this.#leftOut }
  }
}

type Pieces = AsyncGenerator<string>

async function readText(named: ReadList, pieces: Pieces, rows: RowTaker): Promise<ReadText> {
  if (named.source.format === 'jsonl') return readJsonLines('', { pieces, named, rows })
  let [begin, isWhole] = ['', false]
  while (begin.length < SAMPLE_CHARS && !isWhole) {
    const { value, done } = await pieces.next()
    if (done === true) isWhole = true
    else begin += value
  }
  const first = begin.trimStart()[0]
  if (first === '<' || first === '[' || first === '{')
    return readDocument(begin, { pieces, named, rows })
  const known = formAtBegin(named, isWhole ? begin : begin.slice(0, endOfRecords(begin)) || begin)
  if (known === undefined) return readTable(begin, { pieces, named, rows })
  if (isWhole) return takeForm(known, { named, rows })
  const { form } = known
  const read = viewsOf(await wholeOf(begin, pieces))(form)
  if (read === undefined) throw new WrongLine(1, `begins a file that is ${form.name} in part only`)
  return takeForm({ form, read }, { named, rows })
}

type Recognised = { form: Form; read: FormRows }

/** The form of a text; a table whose columns the caller names is read by them. */
function formOf({ forms = [], corrections }: ReadList, text: string): Recognised | undefined {
  const view = viewsOf(text)
  for (const form of forms) {
    if (form.kind === 'table' && corrections?.columns !== undefined) continue
    const read = view(form)
    if (read !== undefined) return { form, read }
  }
  return undefined
}

/** The form that the begin of a text shows, with what it reads there; what is wrong with the text is said when it is read. */
function formAtBegin(named: ReadList, begin: string): Recognised | undefined {
  try {
    return formOf(named, begin)
  } catch (error) {
    if (error instanceof WrongLine) return undefined
    throw error
  }
}

type Rest = { pieces: Pieces; named: ReadList; rows: RowTaker }

async function wholeOf(begin: string, pieces: Pieces): Promise<string> {
  const parts = [begin]
  let length = begin.length
  for await (const piece of pieces) {
    length += piece.length
    if (length > WHOLE_CHARS_MAX)
      throw new WrongLine(1, `begins a file of more than ${WHOLE_CHARS_MAX} characters`)
    parts.push(piece)
  }
  return parts.join('')
}

/** XML, and JSON that is one value or a value a line. */
async function readDocument(begin: string, rest: Rest): Promise<ReadText> {
  const { pieces, named, rows } = rest
  const [line = ''] = begin.trimStart().split('\n', 1)
  const isLine = line.startsWith('{') && jsonOf(line) !== undefined
  if (isLine && formOf(named, line) === undefined) return readJsonLines(begin, rest)
  const text = await wholeOf(begin, pieces)
  const recognised = formOf(named, text)
  if (recognised !== undefined) return takeForm(recognised, { named, rows })
  if (line.startsWith('<'))
    throw new WrongLine(1, `begins XML of no form that ${named.list} is read from`)
  const value = jsonOf(text)
  if (!Array.isArray(value))
    throw new WrongLine(1, `begins JSON of no form that ${named.list} is read from`)
  for (const [index, row] of value.entries()) rows.row(named.reader.take(row), index + 1)
  return { form: 'json' }
}

/** A text as each kind of form is given it, made once. */
function viewsOf(text: string): (form: Form) => FormRows | undefined {
  const begin = text.trimStart()[0]
  const tree = once(() => treeOf(text))
  const value = once(() => jsonOf(text))
  const table = once(() => cellTable(text))
  return (form) => {
    if (form.kind === 'text') return form.read(text)
    if (begin === '<') return form.kind === 'xml' ? form.read(tree()) : undefined
    if (begin === '[' || begin === '{') return form.kind === 'json' ? form.read(value()) : undefined
    return form.kind === 'table' ? form.read(table()) : undefined
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function treeOf(text: string) {
  try {
    return xmlTree(new TextEncoder().encode(text))
  } catch (error) {
    if (error instanceof Unreadable) throw new WrongLine(1, `begins a file that ${error.message}`)
    throw error
  }
}

function takeForm(
  { form, read }: Recognised,
  { named, rows }: Pick<Rest, 'named' | 'rows'>,
): ReadText {
  const constants = named.corrections?.constants
  for (const row of read.rows)
    if ('malformed' in row) rows.malformed(row.malformed, row.line)
    else rows.row({ ...constants, ...row.value }, row.line)
  const leftOut = { all: read.leftOut, count: read.leftOut.length }
  return { form: form.name, says: read.says, findings: read.findings, leftOut }
}

async function readJsonLines(begin: string, { pieces, named, rows }: Rest): Promise<ReadText> {
  let [rest, line] = ['', 0]
  const takeLine = (text: string) => {
    line += 1
    if (text.length > RECORD_CHARS_MAX) throw tooLong(line)
    if (text.trim() === '') return
    const value = jsonOf(text)
    if (value === undefined) rows.malformed('is not JSON', line)
    else rows.row(named.reader.take(value), line)
  }
  const takeText = (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const whole of lines) takeLine(whole)
    if (rest.length > RECORD_CHARS_MAX) throw tooLong(line + 1)
  }
  takeText(begin)
  for await (const text of pieces) takeText(text)
  takeLine(rest)
  return { form: 'json_lines' }
}

/** Takes whole records off the text, as many as have come. */
async function readTable(begin: string, { pieces, named, rows }: Rest): Promise<ReadText> {
  const { schema, headings = {}, reader, corrections = {} } = named
  const table = new TableReader({ schema, headings, reader, corrections }, rows)
  const { delimiter, at } = headerOf(begin, (records) => table.names(records))
  let [rest, line, isBegun] = ['', 1, false]
  const takeRecords = (text: string) => {
    const records = recordsIn(text, { delimiter, line })
    if (isBegun) for (const record of records) table.take(record)
    else {
      const first = [...records]
      if (first.length > 0) table.begin(first.slice(0, at + 1))
      isBegun = first.length > 0
      for (const record of first.slice(at + 1)) table.take(record)
    }
    line += text.split('\n').length - 1
  }
  const takeText = (text: string) => {
    rest += text
    const end = endOfRecords(rest)
    if (end > 0) takeRecords(rest.slice(0, end))
    rest = rest.slice(end)
    if (rest.length > RECORD_CHARS_MAX) throw tooLong(line)
  }
  takeText(begin)
  for await (const text of pieces) takeText(text)
  if (rest !== '') takeRecords(rest)
  if (!isBegun) throw new WrongLine(1, 'has no header')
  const findings = table.differing.map((detail) => ({
    code: 'total_differs',
    detail: `${detail}.`,
  }))
  return { form: 'table', delimiter, ...table.end(), findings, leftOut: table.leftOut }
}

/** The text of a stream, whose lines end with `\n` alone. */
async function* textOf(stream: Readable, reader: TextReader): Pieces {
  let line = 1
  let held = ''
  const decode = (piece?: Uint8Array) => {
    try {
      const text = held + (piece === undefined ? reader.end() : reader.take(piece))
      held = piece !== undefined && text.endsWith('\r') ? '\r' : ''
      const whole = (held === '' ? text : text.slice(0, -1)).replaceAll(/\r\n?/g, '\n')
      line += whole.split('\n').length - 1
      return whole
    } catch {
      throw new WrongLine(line, `or one soon after it is not ${reader.encoding}`)
    }
  }
  for await (const piece of stream) yield decode(piece)
  yield decode()
}

function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues
  return `is refused: ${[...(issue?.path ?? []), ''].join(': ')}${issue?.message}`
}

function rejected(list: string, line: number, what: string): DomainError {
  return refuse('input_rejected', {
    detail: `Line ${line} of ${list} ${what}.`,
    next_action: 'Correct the list and upload it again.',
  })
}
