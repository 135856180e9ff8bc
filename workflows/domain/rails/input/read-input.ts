import type { z } from 'zod'
import { pointerOf } from '../../core/json-pointer.ts'
import { isObject } from '../../core/plain-object.ts'
import type { Finding, Rail, Work } from '../rail.ts'
import { finishedWork } from '../work/work.ts'
import { type ColumnReader, columnReader, tooManyColumns } from './columns.ts'
import { correctionsOf, type ListCorrections } from './corrections.ts'
import { type Extraction, readingFindings, withPlaces, withTexts } from './documents.ts'
import { faultsOfIssue, fieldOf, type InputFault } from './input-faults.ts'

type Read = { data: unknown; findings: Finding[] } | { faults: InputFault[] }
type Readers = ReadonlyMap<string, ColumnReader>

/**
 * An input as its rail reads it, with the caller's columns by their fields, or all of its faults. `uploads` are lists that are
 * read later, row by row.
 */
export function readInput(
  { input: schema, rows }: Pick<Rail, 'input' | 'rows'>,
  given: unknown,
  uploads: Readonly<Record<string, unknown>> = {},
): Read {
  if (!isObject(given)) return checked(schema, given, given, new Map())
  const inline = Object.fromEntries(Object.keys(uploads).map((list) => [list, []]))
  const input = { ...given, ...inline }
  if (rows === undefined) return checked(schema, input, input, new Map())
  const { error } = rows.columns.optional().safeParse(input['columns'])
  if (error !== undefined) {
    // Rows cannot be read by columns that are wrong, and their faults would mislead.
    const at = (path: readonly PropertyKey[]) => path
    return {
      faults: error.issues.flatMap((issue) =>
        faultsOfIssue({ ...issue, path: ['columns', ...issue.path] }, input, at),
      ),
    }
  }
  const aimless = Object.keys(rows.lists)
    .filter((list) => Array.isArray(input[list]) && !Object.hasOwn(uploads, list))
    .flatMap((list) => faultsOfInline(list, correctionsOf(input, list)))
  if (aimless.length > 0) return { faults: aimless }
  const { fields, readers } = byFields(rows.lists, input)
  return checked(schema, fields, input, readers)
}

/** What is said of how a file is read says nothing of a list that is given inline. */
function faultsOfInline(list: string, corrections: ListCorrections): InputFault[] {
  const ofFiles = ['units', 'dates', 'numbers', 'leave_out'] as const
  return ofFiles.flatMap((member) => {
    if (corrections[member] === undefined) return []
    const [pointer, message] = [pointerOf([member, list]), `${list} is no uploaded file`]
    const value = JSON.stringify(corrections[member])
    return [{ kind: 'inconsistent', field: pointer, message, pointer, row: null, value }]
  })
}

function byFields(
  lists: Readonly<Record<string, z.ZodType>>,
  input: Record<string, unknown>,
): { fields: unknown; readers: Readers } {
  const readers = new Map<string, ColumnReader>()
  const read = Object.entries(lists).flatMap(([list, schema]) => {
    const given = input[list]
    const corrections = correctionsOf(input, list)
    const isPlain = corrections.columns === undefined && corrections.constants === undefined
    if (isPlain || !Array.isArray(given)) return []
    const reader = columnReader(list, schema, corrections)
    readers.set(list, reader)
    return [[list, given.map((row) => reader.take(row))]]
  })
  return { fields: { ...input, ...Object.fromEntries(read) }, readers }
}

function checked(schema: z.ZodType, fields: unknown, given: unknown, readers: Readers): Read {
  const ofColumns = [...readers].flatMap(([list, reader]) => columnFaults(list, reader))
  const { data, error } = schema.safeParse(fields)
  const named = (path: readonly PropertyKey[]) => {
    const reader = readers.get(String(path[0]))
    return reader === undefined ? path : byColumn(reader, path)
  }
  const isOfColumn = ([list, , field]: readonly PropertyKey[]) =>
    readers.get(String(list))?.missing().includes(String(field)) === true
  const issues = (error?.issues ?? []).filter(({ path }) => !isOfColumn(path))
  const faults = [...ofColumns, ...issues.flatMap((issue) => faultsOfIssue(issue, given, named))]
  if (faults.length > 0) return { faults }
  return { data, findings: [...readers.values()].flatMap((reader) => reader.finding()) }
}

/** The path of a row's field by the caller's column. */
export function byColumn(reader: ColumnReader, path: readonly PropertyKey[]) {
  const [list, index, field, ...rest] = path
  if (typeof field !== 'string') return path
  return [list as PropertyKey, index as PropertyKey, reader.columnOf(field), ...rest]
}

/** Columns that no row of a list has, and too many without a field. */
export function columnFaults(list: string, reader: ColumnReader): InputFault[] {
  const missing = reader.missing().map((field): InputFault => {
    const path = ['columns', list, field]
    const value = JSON.stringify(reader.columnOf(field))
    const message = `no row of ${list} has this column`
    return {
      kind: 'missing_column',
      field: fieldOf(path),
      message,
      pointer: pointerOf(path),
      row: null,
      value,
    }
  })
  if (!reader.overflows()) return missing
  const field = pointerOf([list])
  const message = tooManyColumns
  return [
    ...missing,
    { kind: 'out_of_bounds', field, message, pointer: field, row: null, value: null },
  ]
}

type Worked<Result> = Pick<Rail<never, Result>, 'work' | 'rows' | 'documents'>

/** The work on an input that has no faults; throws a RangeError for another, and for a file that is not among the extractions. */
export function workOn<Result>(
  rail: Worked<Result> & Pick<Rail, 'input'>,
  given: unknown,
  extractions: readonly Extraction[] = [],
): Work<Result> {
  const read = readInput(rail, given)
  if ('faults' in read) throw new RangeError('the rail refuses the input')
  return workOnRead(rail, read, extractions)
}

/** The work on an input as `readInput` gave it, with the texts of its files. */
export function workOnRead<Result>(
  rail: Worked<Result>,
  { data, findings }: Extract<Read, { data: unknown }>,
  extractions: readonly Extraction[],
): Work<Result> {
  const work = rail.work(withTexts(rail, data, extractions) as never)
  const result = withPlaces(rail, data, extractions, work.result)
  return withFindings({ ...work, result }, [
    ...findings,
    ...readingFindings(rail, data, extractions),
  ])
}

/** The work with the findings of how its input was read. */
export function withFindings<Result>(work: Work<Result>, more: readonly Finding[]): Work<Result> {
  if (more.length === 0) return work
  return finishedWork(work.result, [...work.findings, ...more], work.gaps)
}
