import { z } from 'zod'
import { pointerOf } from '../../core/json-pointer.ts'
import type { Finding } from '../rail.ts'
import { type ListCorrections, moneyUnits } from './corrections.ts'
import { encodings } from './encoding.ts'
import { decimalSigns } from './numbers.ts'
import { dateOrders } from './times.ts'

const LEFT_OUT_SHOWN = 100
const COLUMNS_SHOWN = 200

/** How a file was read as the rows of a list. */
export const Reading = z
  .strictObject({
    form: z.string().meta({
      description:
        'What the file was recognised as: `table`, `json`, `json_lines`, or a form of its trade such as `CAMT.053`.',
    }),
    encoding: z.enum(encodings),
    delimiter: z.string().nullable(),
    header_line: z.int().nullable(),
    columns: z.array(z.strictObject({ column: z.string(), fields: z.array(z.string()) })).meta({
      description:
        'The columns of a table with the fields that each feeds; none for a column that is not read.',
    }),
    numbers: z.enum(decimalSigns).nullable(),
    dates: z.enum(dateOrders).nullable(),
    units: z.enum(moneyUnits).nullable(),
    constants: z.record(z.string(), z.string()),
    says: z
      .record(z.string(), z.string())
      .meta({ description: 'What the file says of the whole, such as its account.' }),
    rows: z.int(),
    left_out: z.strictObject({
      count: z.int(),
      first: z.array(z.strictObject({ line: z.int(), reason: z.string() })),
    }),
  })
  .meta({ id: 'Reading' })
export type Reading = z.output<typeof Reading>

export type LeftOut = { line: number; reason: string }

/** The lines of a file that are no rows, of which the first are named. */
export function leftOutOf(all: readonly LeftOut[], count = all.length): Reading['left_out'] {
  return { count, first: all.slice(0, LEFT_OUT_SHOWN) }
}

export const shownColumns = (columns: Reading['columns']): Reading['columns'] =>
  columns.slice(0, COLUMNS_SHOWN)

const words = { point: 'a point', comma: 'a comma', day_first: 'the day', month_first: 'the month' }

/** The finding that says how a file was read, unless it is a plain table or JSON Lines by the names of its fields, or by the caller's. */
export function readingFinding(
  list: string,
  reading: Reading,
  corrections: ListCorrections = {},
): Finding[] {
  const { form, numbers, dates, units, constants, says, left_out, columns, header_line } = reading
  const given = new Set(Object.values(corrections.columns ?? {}))
  const fed = columns.filter(
    ({ column, fields }) => !given.has(column) && fields.some((field) => field !== column),
  )
  const parts = [
    ...fed.map(({ column, fields }) => `${fields.join(' and ')} from ${JSON.stringify(column)}`),
    ...(header_line !== null && header_line > 1 ? [`its header is line ${header_line}`] : []),
    ...(numbers === 'comma' ? [`${words[numbers]} parts the fraction of numbers`] : []),
    ...(dates === null ? [] : [`${words[dates]} is first in dates`]),
    ...(units === null ? [] : [`amounts are in ${units} units`]),
    ...Object.entries(constants).map(([field, value]) => `${field} is ${JSON.stringify(value)}`),
    ...Object.entries(says).map(([name, value]) => `${name}: ${value}`),
    ...(left_out.count === 0 ? [] : [leftOutText(left_out)]),
  ]
  const isPlain = form === 'table' || form === 'json_lines' || form === 'json'
  if (isPlain && parts.length === 0) return []
  const kind = form === 'table' ? 'a table' : form
  const detail = [`The list ${list} was read as ${kind}, ${reading.rows} rows`, ...parts].join('; ')
  return [
    { code: 'file_reading', detail: `${detail}.`, citations: [{ pointer: pointerOf([list]) }] },
  ]
}

function leftOutText({ count, first }: Reading['left_out']): string {
  const shown = first.slice(0, 10).map(({ line, reason }) => `${line} (${reason})`)
  const more = count > shown.length ? ` and ${count - shown.length} more` : ''
  return `lines left out, ${count} in all: ${shown.join(', ')}${more}`
}
