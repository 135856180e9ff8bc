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
  return z.strictObject(shape).superRefine((mapping, { addIssue }) => {
    const taken = new Set<string | undefined>()
    for (const [field, column] of Object.entries(mapping)) {
      if (taken.has(column))
        addIssue({ code: 'custom', path: [field], message: 'another field reads this column' })
      taken.add(column)
    }
  })
}

const fieldsOf = (row: z.ZodType): string[] =>
  row instanceof z.ZodObject ? Object.keys(row.shape) : []

/** Whether a row may have members that its schema does not name. */
const isLoose = (row: z.ZodType): boolean =>
  row instanceof z.ZodObject &&
  row.def.catchall !== undefined &&
  !(row.def.catchall instanceof z.ZodNever)

/** Reads the rows of one list by the caller's names of its columns. */
export type ColumnReader = {
  /** The field of a column; undefined for a column that is not read. */
  fieldOf(column: string): string | undefined
  /** The caller's column of a field. */
  columnOf(field: string): string
  /** Notes the columns of a row and returns it by fields; what is no object is returned as it is. */
  take(row: unknown): unknown
  note(column: string): void
  /** Fields whose column was in no row; none before the first row. */
  missing(): string[]
  overflows(): boolean
  /** The finding that names the columns that were not read. */
  finding(): Finding[]
}

/** A reader of a list's rows; without `columns` they are read as they are. */
export function columnReader(list: string, row: z.ZodType, columns: Columns): ColumnReader {
  const mapping = columns[list]
  const named = Object.entries(mapping ?? {}).flatMap(([field, column]) =>
    column === undefined ? [] : [{ field, column }],
  )
  const fieldByColumn = new Map(named.map(({ field, column }) => [column, field]))
  const columnByField = new Map(named.map(({ field, column }) => [field, column]))
  const known = new Set(fieldsOf(row))
  const takesAny = mapping === undefined || isLoose(row)
  const absent = new Set(columnByField.values())
  const unread = new Set<string>()
  let begun = false
  const fieldOf = (column: string) => {
    const field = fieldByColumn.get(column)
    if (field !== undefined) return field
    if (columnByField.has(column)) return undefined
    return takesAny || known.has(column) ? column : undefined
  }
  const note = (column: string) => {
    begun = true
    absent.delete(column)
    if (fieldOf(column) === undefined && unread.size <= UNREAD_MAX) unread.add(column)
  }
  return {
    fieldOf,
    columnOf: (field) => columnByField.get(field) ?? field,
    note,
    take: (value) => {
      begun = true
      if (mapping === undefined || !isObject(value)) return value
      for (const column of Object.keys(value)) note(column)
      return Object.fromEntries(
        Object.entries(value).flatMap(([column, cell]) => {
          const field = fieldOf(column)
          return field === undefined ? [] : [[field, cell]]
        }),
      )
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
