import { CsvError, parse } from 'csv-parse/sync'
import type { CellTable } from '#domain/rails/form.ts'
import { type CellRecord, HEADER_WITHIN } from '#domain/rails/tables/table-reader.ts'
import { separators } from '#domain/rails/text/table.ts'

/** A record may not be longer, so that a file without line breaks is refused instead of being read into memory. */
export const RECORD_CHARS_MAX = 65_536

/** What is wrong with a line of a text, to follow “Line 7 of the list”. */
export class WrongLine extends Error {
  readonly line: number
  constructor(line: number, what: string) {
    super(what)
    this.line = line
  }
}

export const tooLong = (line: number): WrongLine =>
  new WrongLine(line, `is longer than ${RECORD_CHARS_MAX} characters`)

type Begun = { delimiter: string; line: number }

/** The records of a text whose lines end with `\n`, without empty ones; the first begins on a line. Throws `WrongLine`. */
export function* recordsIn(text: string, { delimiter, line: first }: Begun): Generator<CellRecord> {
  if (text.includes('"')) {
    yield* quotedRecords(text, { delimiter, line: first })
    return
  }
  for (const [index, record] of text.split('\n').entries()) {
    const line = first + index
    if (record.length > RECORD_CHARS_MAX) throw tooLong(line)
    if (record !== '') yield { line, cells: record.split(delimiter) }
  }
}

function quotedRecords(text: string, { delimiter, line: first }: Begun): CellRecord[] {
  const records: CellRecord[] = []
  try {
    parse(text, {
      delimiter,
      skip_empty_lines: true,
      relax_column_count: true,
      record_delimiter: ['\n'],
      max_record_size: RECORD_CHARS_MAX,
      on_record: (cells: string[], { lines }) => {
        records.push({ line: first + lines - 1, cells })
        return null
      },
    })
    return records
  } catch (error) {
    if (error instanceof CsvError)
      throw new WrongLine(first + Number(error['lines']) - 1, error.message)
    throw error
  }
}

/** Where the last whole record ends of a text that begins with one: after a line break outside of quotes. */
export function endOfRecords(text: string): number {
  if (!text.includes('"')) return text.lastIndexOf('\n') + 1
  let [at, end] = [0, 0]
  for (const [index, part] of text.split('"').entries()) {
    const lineBreak = index % 2 === 0 ? part.lastIndexOf('\n') : -1
    if (lineBreak !== -1) end = at + lineBreak + 1
    at += part.length + 1
  }
  return end
}

type Header = { delimiter: string; at: number }

/**
 * What parts the cells of a text, and where its header is among its first records: the separator by which most cells of a record name
 * fields; without names, the one that is most often in the first record.
 */
export function headerOf(
  text: string,
  names: (records: readonly (readonly string[])[]) => { at: number; names: number },
): Header {
  const found = separators.map((delimiter) => {
    const records = firstRecords(text, delimiter).map(({ cells }) => cells)
    return { delimiter, ...names(records), width: records[0]?.length ?? 1 }
  })
  const best = found.toSorted((one, other) => other.names - one.names || other.width - one.width)
  return best[0] ?? { delimiter: ',', at: 0 }
}

function firstRecords(text: string, delimiter: string): CellRecord[] {
  const records: CellRecord[] = []
  try {
    for (const record of recordsIn(text, { delimiter, line: 1 })) {
      records.push(record)
      if (records.length === HEADER_WITHIN) break
    }
    return records
  } catch (error) {
    if (error instanceof WrongLine) return []
    throw error
  }
}

/** A text as a table whatever it is about: its header is the first record that is as wide as most of the first ones. Throws `WrongLine`. */
export function cellTable(text: string): CellTable {
  const widths = separators.map((delimiter) => {
    const counts = new Map<number, number>()
    for (const { cells } of firstRecords(text, delimiter))
      counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
    const [[width = 1] = []] = [...counts].toSorted(
      ([one, oneCount], [other, otherCount]) => otherCount - oneCount || other - one,
    )
    return { delimiter, width }
  })
  const { delimiter, width } = widths.reduce((best, one) => (one.width > best.width ? one : best))
  const records = [...recordsIn(text, { delimiter, line: 1 })]
  const at = Math.max(
    0,
    records.findIndex(({ cells }) => cells.length >= width),
  )
  return {
    above: records.slice(0, at).map(({ cells }) => cells.join(' ').trim()),
    header: records[at]?.cells.map((cell) => cell.trim()) ?? [],
    records: records.slice(at + 1),
  }
}
