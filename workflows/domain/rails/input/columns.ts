import { z } from 'zod'
import { isObject } from '../../core/plain-object.ts'
import type { Columns, Finding } from '../rail.ts'
import { inOrder } from '../work/work.ts'
import { oneLine } from './names.ts'

const COLUMN_CHARS_MAX = 256
/** Columns of one list that are in no field; more of them are refused. */
const UNREAD_MAX = 1_000
const UNREAD_SHOWN = 50
const SHOWN_CHARS = 100

type Lists = Readonly<Record<string, z.ZodType>>

/** The schema of `columns`: for each list, the caller's column by field. */
export function columnsSchema(lists: Lists): z.ZodType<Columns> {
  const ofLists = Object.entries(lists).map(([list, row]) => [list, optionalList(row)])
  const schema: z.ZodObject<
    Record<string, ReturnType<typeof optionalList>>,
    z.core.$strict
  > = z.strictObject(Object.fromEntries(ofLists))
  return schema.meta({
    description:
      'Names of columns that differ from the fields: for each list, the column that a field is read from. The other columns of such a list are left unread and are named in a finding.',
  })
}

const optionalList = (row: z.ZodType) => ofList(row).optional()

function ofList(row: z.ZodType) {
  const fields = fieldsOf(row).map((field) => [field, oneLine(COLUMN_CHARS_MAX).optional()])
  const shape: Record<string, z.ZodOptional<z.ZodString>> = Object.fromEntries(fields)
  return z.strictObject(shape)
}

/** The object that a row is before it is transformed. */
function rowShape(row: z.ZodType): z.ZodObject | undefined {
  if (row instanceof z.ZodPipe) return rowShape(row.in as z.ZodType)
  return row instanceof z.ZodObject ? row : undefined
}

const fieldsOf = (row: z.ZodType): string[] => Object.keys(rowShape(row)?.shape ?? {})

/** Whether a row may have members that its schema does not name. */
function isLoose(row: z.ZodType): boolean {
  const catchall = rowShape(row)?.def.catchall
  return catchall !== undefined && !(catchall instanceof z.ZodNever)
}

/** Reads the rows of one list by the caller's names of its columns. */
export type ColumnReader = {
  /** The fields that a column feeds; none for a column that is not read. */
  fieldsOf(column: string): readonly string[]
  /** The caller's column of a field. */
  columnOf(field: string): string
  /** Has a column feed a field by its heading, and takes columns without a field. */
  feed(field: string, column: string): void
  /** Whether a column without a field is left unread; else it is a fault. */
  takesUnread(): boolean
  /** Notes the columns of a row and returns it by fields, with the constants; what is no object is returned as it is. */
  take(row: unknown): unknown
  note(column: string): void
  /** Fields whose column was in no row; none before the first row. */
  missing(): string[]
  overflows(): boolean
  /** The finding that names the columns that were not read. */
  finding(): Finding[]
}

type Named = { columns?: ByField; constants?: ByField }
type ByField = Readonly<Record<string, string | undefined>>

/** A reader of a list's rows; without `columns` they are read as they are. */
export function columnReader(
  list: string,
  row: z.ZodType,
  { columns, constants = {} }: Named,
): ColumnReader {
  const columnByField = new Map<string, string>()
  const fieldsByColumn = new Map<string, string[]>()
  const known = new Set(fieldsOf(row))
  let takesUnread = columns !== undefined
  const feed = (field: string, column: string) => {
    columnByField.set(field, column)
    fieldsByColumn.set(column, [...(fieldsByColumn.get(column) ?? []), field])
  }
  for (const [field, column] of Object.entries(columns ?? {}))
    if (column !== undefined) feed(field, column)
  const absent = new Set(columnByField.values())
  const unread = new Set<string>()
  let begun = false
  const fieldsFedBy = (column: string): readonly string[] => {
    const fed = fieldsByColumn.get(column)
    if (fed !== undefined) return fed
    if (columnByField.has(column)) return []
    return !takesUnread || isLoose(row) || known.has(column) ? [column] : []
  }
  const note = (column: string) => {
    begun = true
    absent.delete(column)
    if (fieldsFedBy(column).length === 0 && unread.size <= UNREAD_MAX) unread.add(column)
  }
  return {
    fieldsOf: fieldsFedBy,
    columnOf: (field) => columnByField.get(field) ?? field,
    feed: (field, column) => {
      takesUnread = true
      feed(field, column)
    },
    takesUnread: () => takesUnread,
    note,
    take: (value) => {
      begun = true
      if (!isObject(value)) return value
      if (!takesUnread) return { ...constants, ...value }
      for (const column of Object.keys(value)) note(column)
      const fed = Object.entries(value).flatMap(([column, cell]) =>
        fieldsFedBy(column).map((field) => [field, cell]),
      )
      return { ...constants, ...Object.fromEntries(fed) }
    },
    missing: () =>
      !begun
        ? []
        : [...columnByField].filter(([, column]) => absent.has(column)).map(([field]) => field),
    overflows: () => unread.size > UNREAD_MAX,
    finding: () => (unread.size === 0 ? [] : [unreadFinding(list, unread)]),
  }
}

export const tooManyColumns = `has more than ${UNREAD_MAX} columns that are in no field`

function unreadFinding(list: string, unread: ReadonlySet<string>): Finding {
  const names = [...unread].toSorted(inOrder((name) => name))
  const shown = names.slice(0, UNREAD_SHOWN).map(shownText)
  const more = names.length > UNREAD_SHOWN ? ` and ${names.length - UNREAD_SHOWN} more` : ''
  return {
    code: 'columns_unread',
    detail: `Columns of ${list} that are in no field and were not read (${names.length}): ${shown.join(', ')}${more}.`,
    citations: [{ pointer: `/${list}` }],
  }
}

/** A value as JSON text of at most 100 characters. */
export function shownText(value: unknown): string {
  const characters = Array.from(JSON.stringify(value) ?? '')
  if (characters.length <= SHOWN_CHARS) return characters.join('')
  return `${characters.slice(0, SHOWN_CHARS).join('')}…`
}
