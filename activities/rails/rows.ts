import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { z } from 'zod'
import { type DomainError, refuse } from '../../workflows/domain/errors.ts'

export const rowFormats = ['csv', 'jsonl'] as const
/** A list as it was uploaded: CSV with a header, or one JSON object a line; UTF-8. */
export type RowSource = { format: (typeof rowFormats)[number]; stream: Readable }
type TakeRecord = (value: unknown, line: number) => void

/** A record may not be longer, so that a file without line breaks is refused instead of being read into memory. */
const RECORD_CHARS_MAX = 65_536

/**
 * Reads a list from its stream and hands over each row once the schema has passed it; the stream is read on only when a piece's
 * rows are taken. Throws `input_rejected` for the first record that is wrong, naming its line.
 */
export async function eachRow(
  list: string,
  { format, stream }: RowSource,
  schema: z.ZodType,
  take: (row: unknown, index: number) => void,
): Promise<void> {
  let index = 0
  const read = format === 'csv' ? readCsv : readJsonLines
  await read(list, stream, schema, (value, line) => {
    const { data, error } = schema.safeParse(value)
    if (error !== undefined) throw rejected(list, line, firstIssue(error))
    take(data, index)
    index += 1
  })
}

async function readJsonLines(list: string, stream: Readable, _schema: z.ZodType, take: TakeRecord): Promise<void> {
  let [rest, line] = ['', 0]
  const takeLine = (text: string) => {
    line += 1
    if (text.length > RECORD_CHARS_MAX) throw tooLong(list, line)
    if (text.trim() !== '') take(parseJson(list, text, line), line)
  }
  for await (const text of textOf(list, stream, () => line + 1)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const whole of lines) takeLine(whole)
    if (rest.length > RECORD_CHARS_MAX) throw tooLong(list, line + 1)
  }
  takeLine(rest)
}

function parseJson(list: string, text: string, line: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw rejected(list, line, 'is not JSON')
  }
}

async function readCsv(list: string, stream: Readable, schema: z.ZodType, take: TakeRecord): Promise<void> {
  let columns: Column[] | undefined
  const parser = parse({
    bom: true,
    skip_empty_lines: true,
    max_record_size: RECORD_CHARS_MAX,
    on_record(cells: string[], { lines }) {
      if (columns === undefined) columns = columnsOf(list, cells, schema)
      else take(rowOf(columns, cells), lines)
      return null
    },
  })
  try {
    // Records are taken as they are parsed, so nothing but the end is left to read.
    await pipeline(
      textOf(list, stream, () => parser.info.lines),
      parser.resume(),
    )
  } catch (error) {
    if (error instanceof CsvError) throw rejected(list, Number(error['lines']), error.message)
    throw error
  }
  if (columns === undefined) throw rejected(list, 1, 'has no header')
}

type Column = { name: string; numeric: boolean }

/** Cells are texts: those of a numeric field become numbers, and an empty cell is a field that is left out. */
function columnsOf(list: string, names: string[], schema: z.ZodType): Column[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
  return names.map((name, index) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (typeof field !== 'object')
      throw rejected(list, 1, `has the unknown column ${name}; known are ${Object.keys(properties).join(', ')}`)
    if (names.indexOf(name) !== index) throw rejected(list, 1, `has the column ${name} twice`)
    return { name, numeric: field.type === 'integer' || field.type === 'number' }
  })
}

function rowOf(columns: Column[], cells: string[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [at, { name, numeric }] of columns.entries()) {
    const cell = cells[at] ?? ''
    if (cell !== '') row[name] = numeric && /^-?[0-9]{1,16}$/.test(cell) ? Number(cell) : cell
  }
  return row
}

async function* textOf(list: string, stream: Readable, lineNow: () => number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Uint8Array) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw rejected(list, lineNow(), 'or one soon after it is not UTF-8')
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
  return refuse('input_rejected', `Line ${line} of ${list} ${what}.`, 'Correct the list and upload it again.')
}
