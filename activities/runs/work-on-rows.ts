import { z } from 'zod'
import { type DomainError, type PointerError, refuse } from '#domain/core/errors.ts'
import { firstFaults } from '#domain/core/faults.ts'
import { type ColumnReader, columnReader } from '#domain/rails/input/columns.ts'
import { correctionsOf } from '#domain/rails/input/corrections.ts'
import { type Extraction, encodingFinding, sheetFinding } from '#domain/rails/input/documents.ts'
import { faultsText, groupFaults } from '#domain/rails/input/input-faults.ts'
import {
  columnFaults,
  readInput,
  withFindings,
  workOnRead,
} from '#domain/rails/input/read-input.ts'
import { readingFinding } from '#domain/rails/input/reading.ts'
import { rowsOfSheet, uploadsOf } from '#domain/rails/input/uploads.ts'
import type { Finding, Rail, Work } from '#domain/rails/rail.ts'
import { eachRow, type ReadList, type RowSource } from './rows.ts'

/** Receives each row of a list as it is read. */
export type SeeRow = (list: string, row: unknown, index: number) => void

/**
 * The work of a rail on an input whose long lists come as streams: `input` holds the head and the short lists, `sources`
 * the others. The same rows give the same work either way. Throws `input_rejected` where rail, head or a row does not fit.
 */
export async function workOnRows<Result>(
  { key, rows }: Pick<Rail<never, Result>, 'key' | 'rows'>,
  input: Readonly<Record<string, unknown>>,
  sources: Readonly<Record<string, RowSource>>,
  see: SeeRow = () => undefined,
): Promise<Work<Result>> {
  if (rows === undefined) throw unfit(`The rail ${key} takes no uploaded lists.`)
  const lists = Object.keys(rows.lists)
  const twice = lists.filter((list) => list in input && list in sources)
  const unknown = Object.keys(sources).filter((list) => !lists.includes(list))
  if (twice.length > 0) throw unfit(`${twice.join(', ')} is given both inline and as an upload.`)
  if (unknown.length > 0)
    throw unfit(`The rail ${key} has no list ${unknown.join(', ')}; it has ${lists.join(', ')}.`)
  const head = Object.fromEntries(Object.entries(input).filter(([name]) => !lists.includes(name)))
  const fold = rows.open(checked(rows.head, head, ''))
  const findings: Finding[] = []
  for (const [list, schema] of Object.entries(rows.lists)) {
    const source = sources[list]
    const take = (row: unknown, index: number) => fold.take(list, row, index)
    const takeSeen = (row: unknown, index: number) => {
      see(list, row, index)
      take(row, index)
    }
    const corrections = correctionsOf(head, list)
    const reader = columnReader(list, schema, corrections)
    if (source !== undefined) {
      const asked = { ...readListOf(rows, list), list, source, reader, corrections }
      const read = await eachRow(asked, takeSeen)
      findings.push(...read.findings, ...encodingFinding(list, read.reading.encoding))
      findings.push(...readingFinding(list, read.reading, corrections))
    } else takeInline(schema, input[list] ?? [], { place: `/${list}`, reader, take: takeSeen })
    const faults = columnFaults(list, reader)
    if (faults.length > 0) throw unfit(faultsText(faults))
    findings.push(...reader.finding())
  }
  return withFindings(fold.close(), findings)
}

/** How the rows of an uploaded list are read by its rail. */
export function readListOf(
  { lists, uploaded, forms, headings }: NonNullable<Rail['rows']>,
  list: string,
): Pick<ReadList, 'schema' | 'forms' | 'headings'> {
  const schema = uploaded?.[list] ?? lists[list]
  if (schema === undefined) throw new RangeError(`the rail has no list ${list}`)
  return { schema, forms: forms?.[list], headings: headings?.[list] }
}

function takeInline(
  schema: z.ZodType,
  list: unknown,
  to: { place: string; reader: ColumnReader; take(row: unknown, index: number): void },
): void {
  const given = Array.isArray(list) ? list.map((row) => to.reader.take(row)) : list
  for (const [index, row] of checked(z.array(schema), given, to.place).entries())
    to.take(row, index)
}

/** What an input names: a source for each uploaded list, and what was read from files. */
export type Named = {
  readonly sources: Readonly<Record<string, RowSource>>
  readonly extractions: readonly Extraction[]
}

/** The work of a rail on an input. */
export async function workOnInput(
  rail: Rail,
  input: unknown,
  named: Named,
  see?: SeeRow,
): Promise<Work<unknown>> {
  if (Object.keys(named.sources).length > 0) return workOnUploads(rail, input, named, see)
  const read = readInput(rail, input)
  if (!('faults' in read)) {
    if (see !== undefined) seeRows(rail, read.data, see)
    return workOnRead(rail, read, named.extractions)
  }
  const { faults } = read
  throw unfit(faultsText(faults), { extra: { faults: groupFaults(faults) } })
}

function seeRows({ rows }: Pick<Rail, 'rows'>, input: unknown, see: SeeRow): void {
  for (const list of Object.keys(rows?.lists ?? {})) {
    const given = (input as Record<string, unknown[] | undefined>)[list] ?? []
    for (const [index, row] of given.entries()) see(list, row, index)
  }
}

/** The same for an input that names its uploaded lists: each source stands for the list of its name. */
export async function workOnUploads<Result>(
  rail: Pick<Rail<never, Result>, 'key' | 'rows'>,
  input: unknown,
  { sources, extractions }: Named,
  see?: SeeRow,
): Promise<Work<Result>> {
  const inline = Object.entries(input as object).filter(([name]) => !Object.hasOwn(sources, name))
  const work = await workOnRows(rail, Object.fromEntries(inline), sources, see)
  const sheets = Object.entries(uploadsOf(rail, input)).flatMap(([list, named]) => {
    const sheet = rowsOfSheet(extractions, named)
    return sheet === undefined ? [] : [sheetFinding(list, sheet)]
  })
  return withFindings(work, sheets)
}

function checked<Value>(schema: z.ZodType<Value>, value: unknown, place: string): Value {
  const { data, error } = schema.safeParse(value)
  if (error === undefined) return data
  const errors = firstFaults(
    error.issues.map(({ path, message }) => ({ pointer: [place, ...path].join('/'), message })),
  )
  throw unfit('The input does not fit the rail.', { errors })
}

function unfit(
  detail: string,
  more: { errors?: PointerError[]; extra?: Record<string, unknown> } = {},
): DomainError {
  return refuse('input_rejected', {
    detail,
    next_action: 'Correct the input and send it again.',
    ...more,
  })
}
