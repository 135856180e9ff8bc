import { z } from 'zod'
import type { Headings } from '../form.ts'
import type { ColumnReader } from '../input/columns.ts'
import { keyOf } from '../text/table.ts'

/** How the cells of a field are read. */
export type CellKind = 'text' | 'number' | 'whole' | 'time' | 'day' | 'truth' | 'code'
/** A field of a row, and the two fields of an amount where it is one: in major and in minor units. */
export type Field = {
  name: string
  kind: CellKind
  /** Whether its value is a JSON number. */
  isNumeric: boolean
  money: { major: string; minor: string } | undefined
}

type Property = z.core.JSONSchema.BaseSchema

/** The fields of a row by name, those that it needs, and whether it may have others. */
export type RowFields = {
  fields: ReadonlyMap<string, Field>
  required: readonly string[]
  isStrict: boolean
}

export function rowFields(schema: z.ZodType): RowFields {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = z.toJSONSchema(schema, {
    io: 'input',
  })
  const fields = Object.entries(properties).map(([name, property]): [string, Field] => {
    const given = typeof property === 'object' ? property : {}
    const major = name.replace(/_minor$/, '')
    const isMoney = Object.hasOwn(properties, major) && Object.hasOwn(properties, `${major}_minor`)
    return [
      name,
      {
        name,
        kind: kindOf(given),
        isNumeric: given.type === 'integer' || given.type === 'number',
        money: isMoney ? { major, minor: `${major}_minor` } : undefined,
      },
    ]
  })
  return { fields: new Map(fields), required, isStrict: additionalProperties === false }
}

function kindOf(property: Property): CellKind {
  const options = (property.anyOf as Property[] | undefined) ?? [property]
  const types = options.map(({ type }) => type)
  if (types.includes('number')) return 'number'
  if (types.includes('integer')) return 'whole'
  const takes = (text: string) =>
    options.some(({ pattern }) => pattern !== undefined && new RegExp(pattern, 'u').test(text))
  if (takes('2024-01-31T10:00:00Z') && !takes('x')) return 'time'
  if (takes('2024-01-31') && !takes('x')) return 'day'
  const isOpen = options.some(
    ({ type, pattern, enum: values }) => type === 'string' && pattern === undefined && !values,
  )
  if (types.includes('boolean') && !isOpen) return 'truth'
  const [{ pattern } = {}] = options
  if (options.length > 1 || pattern === undefined) return 'text'
  if (takes('1.5') && takes('20') && !takes('x')) return 'number'
  return takes('EUR') && !takes('eur') && !takes('1') ? 'code' : 'text'
}

/** Where the header of a table stands among its first records: the one with most names of fields; the first where none has two. */
export function headerIn(
  records: readonly (readonly string[])[],
  isName: (cell: string) => boolean,
): { at: number; names: number } {
  let best = { at: 0, names: 0 }
  for (const [at, cells] of records.entries()) {
    const names = new Set(cells.map((cell) => cell.trim()).filter(isName)).size
    if (names > Math.max(best.names, 1)) best = { at, names }
  }
  return best
}

/**
 * Has the columns of a header feed the fields that no column feeds by its own name or the caller's: by the name of the field in any
 * case and spelling, or by the headings of exports.
 */
export function feedByHeadings(
  header: readonly string[],
  {
    headings,
    fields,
    reader,
  }: { headings: Headings; fields: RowFields['fields']; reader: ColumnReader },
): void {
  const byKey = new Map(header.toReversed().map((column) => [keyOf(column), column]))
  for (const { name: field, money } of fields.values()) {
    const names = [field, ...(headings[field] ?? [])]
    const own = money === undefined ? [field] : [money.major, money.minor]
    const isFed = own.some((name) => reader.columnOf(name) !== name || header.includes(name))
    if (isFed) continue
    const column = names.map((name) => byKey.get(keyOf(name))).find((one) => one !== undefined)
    if (column !== undefined) reader.feed(field, column)
  }
}
