import { z } from 'zod'
import { columnsSchema } from './columns.ts'
import { oneLine } from './names.ts'
import { decimalSigns } from './numbers.ts'
import { dateOrders } from './times.ts'

export const moneyUnits = ['major', 'minor'] as const
export type MoneyUnit = (typeof moneyUnits)[number]

/** Lines of one list that a caller may leave out. */
const LEFT_OUT_MAX = 1_000
const CONSTANT_CHARS_MAX = 512

/** What a caller says of how one list is read, where its file does not say it. */
export type ListCorrections = Partial<{
  columns: Readonly<Record<string, string | undefined>>
  constants: Readonly<Record<string, string | undefined>>
  units: MoneyUnit
  dates: (typeof dateOrders)[number]
  numbers: (typeof decimalSigns)[number]
  leave_out: readonly number[]
}>
/** The same by list, as the members of an input have it. */
type Corrections = {
  readonly [Member in keyof ListCorrections]: Readonly<
    Record<string, ListCorrections[Member] | undefined>
  >
}

type Lists = Readonly<Record<string, z.ZodType>>

/** The members of an input that say how its lists are read, each by list. */
export function correctionShapes(lists: Lists) {
  const names = Object.keys(lists)
  const byList = <Of extends z.ZodType>(of: Of, description: string) =>
    z
      .strictObject(
        Object.fromEntries(names.map((list) => [list, of.optional()])) as Record<
          string,
          z.ZodOptional<Of>
        >,
      )
      .meta({ description })
      .optional()
  const constant = z.record(oneLine(64), oneLine(CONSTANT_CHARS_MAX))
  const lines = z.array(z.int().min(1)).max(LEFT_OUT_MAX)
  return {
    columns: columnsSchema(lists).optional(),
    constants: byList(
      constant,
      'For each list, values of fields that every row has where its file has no cell for them, such as the currency.',
    ),
    units: byList(
      z.enum(moneyUnits),
      'For each list, whether its amounts are in major units (dollars) or in minor units (cents), where the file does not say it.',
    ),
    dates: byList(
      z.enum(dateOrders),
      'For each list, whether the day or the month is first in dates such as 03/04/2024.',
    ),
    numbers: byList(
      z.enum(decimalSigns),
      'For each list, whether a point or a comma parts the fraction of its numbers.',
    ),
    leave_out: byList(
      lines,
      'For each list, exactly the lines of its file that cannot be read and are left out; the result names them.',
    ),
  }
}

const members = ['columns', 'constants', 'units', 'dates', 'numbers', 'leave_out'] as const

/** The corrections of one list in an input. */
export function correctionsOf(input: unknown, list: string): ListCorrections {
  const given = (input ?? {}) as Corrections
  return Object.fromEntries(
    members.flatMap((member) => {
      const of = given[member]?.[list]
      return of === undefined ? [] : [[member, of]]
    }),
  )
}
