import { isObject } from '../../../core/plain-object.ts'
import type { CellTable, FormRows } from '../../form.ts'

/** A record of an export by its field names; fields that say nothing are left out. */
export type Fields = Readonly<Record<string, unknown>>
/** The row of a record, or why it is none: it cannot be read, or it is no row by its nature. */
export type RowOf = { value: Record<string, unknown> } | { malformed: string } | { leftOut: string }
type Placed = { line: number; fields: Fields }

/** The member of an object that is an object; empty for anything else. */
export const within = (fields: Fields, name: string): Fields => {
  const inner = fields[name]
  return isObject(inner) ? inner : {}
}

export function rowsOf(records: Iterable<Placed>, read: (fields: Fields) => RowOf): FormRows {
  const rows: ({ line: number } & ({ value: Record<string, unknown> } | { malformed: string }))[] =
    []
  const leftOut: { line: number; reason: string }[] = []
  for (const { line, fields } of records) {
    const row = read(fields)
    if ('leftOut' in row) leftOut.push({ line, reason: row.leftOut })
    else if ('malformed' in row) rows.push({ line, malformed: row.malformed })
    else rows.push({ line, value: said(row.value) })
  }
  return { rows, says: {}, leftOut, findings: [] }
}

/** The members that say something. */
function said(value: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(value))
    if (one !== undefined && one !== null && one !== '') kept[name] = one
  return kept
}

const NOTHING = /^(null|nan|none|n\/a)?$/i

/** The records of a table that has these columns, in any case; undefined for another table. */
export function recordsIn(
  { header, records }: CellTable,
  needed: readonly string[],
): Iterable<Placed> | undefined {
  const names = header.map((name) => name.trim().toLowerCase())
  if (needed.some((name) => !names.includes(name))) return undefined
  return namedCells(names, records)
}

/** One record at a time, so that a long table is not in memory once more. */
function* namedCells(
  names: readonly string[],
  records: CellTable['records'],
): Generator<Placed, undefined> {
  for (const { line, cells } of records) {
    const fields: Record<string, unknown> = {}
    for (const [at, name] of names.entries()) {
      const cell = cells[at]?.trim() ?? ''
      if (!NOTHING.test(cell)) fields[name] = cell
    }
    yield { line, fields }
  }
}

/** A number from a number or its text, else what stands there, which the schema of the row refuses. */
export function countOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\d{1,15}(\.0+)?$/.test(value)) return value
  return Number(value)
}

/** The sum of the counts that are stated; undefined where none is. */
export function sumOf(values: readonly unknown[]): unknown {
  const counts = values.map(countOf).filter((value) => value !== undefined && value !== null)
  if (counts.length === 0) return undefined
  const wrong = counts.find((count) => typeof count !== 'number')
  return wrong ?? counts.reduce((sum: number, count) => sum + Number(count), 0)
}

/** An instant from seconds since 1970, or what stands there. */
export function instantOf(seconds: unknown): unknown {
  const count = countOf(seconds)
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count > 1e11) return seconds
  return new Date(count * 1000).toISOString()
}

/** The results of a page of time buckets, each with what its bucket says. */
export function bucketsOf(whole: unknown): Placed[] | undefined {
  if (!isObject(whole) || !Array.isArray(whole['data'])) return undefined
  const buckets = whole['data'].filter(isObject)
  const results = buckets.map((bucket) => bucket['results'] ?? bucket['result'])
  if (buckets.length !== whole['data'].length || !results.every(Array.isArray)) return undefined
  const placed = buckets.flatMap((bucket, at) =>
    (results[at] as unknown[]).map((result) => ({
      ...bucket,
      ...(isObject(result) ? result : {}),
    })),
  )
  return placed.map((fields, at) => ({ line: at + 1, fields }))
}

/** A page that says that more follow is a part of the whole. */
export function withPages(whole: unknown, read: FormRows): FormRows {
  if (!isObject(whole) || whole['has_more'] !== true) return read
  const detail = 'the file is one page, and more follow it: join all pages'
  return { ...read, findings: [...read.findings, { code: 'more_pages', detail }] }
}
