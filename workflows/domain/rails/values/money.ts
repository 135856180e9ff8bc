import { z } from 'zod'
import { Currency } from '../input/names.ts'
import { MINOR_MAX, Minor, scaled } from './amounts.ts'
import { minorPlaces } from './exchange.ts'

/** An amount in whole units of its currency, such as dollars: `1500` or `"1500.05"`. */
export const Major = z.union([z.number(), z.string().max(48)])
export type Major = z.infer<typeof Major>

/** `1500.05` of USD → `150005`; else what is wrong with it. */
export function toMinor(amount: Major, currency: string): { minor: number } | { fault: string } {
  const places = minorPlaces(currency)
  const minor = scaled(amount, places)
  if (minor === null) return { fault: `is not a decimal of at most ${places} places` }
  const isIn = minor <= BigInt(MINOR_MAX) && -minor <= BigInt(MINOR_MAX)
  return isIn ? { minor: Number(minor) } : { fault: `is more than ${MINOR_MAX} minor units` }
}

/**
 * The schema of a row with an amount of money, given either as `amount_minor` or, in whole units of the currency, as `amount`; a
 * row that has passed it has `amount_minor`. `others` are further amounts whose two fields, both optional, are in the shape.
 */
export function moneyRow<Shape extends z.ZodRawShape>(
  shape: Shape,
  others: readonly string[] = [],
) {
  const either = { amount: Major.optional(), amount_minor: Minor.optional() }
  const given = z.strictObject({ ...shape, currency: Currency, ...either })
  const normal = z.strictObject({ ...shape, currency: Currency, amount_minor: Minor })
  return given
    .transform((row, context): unknown => inMinor(row as unknown as Given, { others, context }))
    .pipe(normal as unknown as Normal<typeof normal>)
}

/** A schema for values whose type is checked when the program runs. */
type Normal<Schema extends z.ZodType> = z.ZodType<z.output<Schema>, unknown>
type Given = Record<string, unknown> & { currency: string }
type Reads = { others: readonly string[]; context: z.RefinementCtx }

function inMinor(row: Given, { others, context }: Reads): unknown {
  const normal: Given = { ...row }
  for (const name of ['amount', ...others]) {
    const [major, minorName] = [row[name] as Major | undefined, `${name}_minor`]
    delete normal[name]
    if (major === undefined) continue
    const read = toMinor(major, row.currency)
    const fault = 'fault' in read ? read.fault : null
    const message = row[minorName] === undefined ? fault : `is given next to ${minorName}`
    if (message !== null) context.addIssue({ code: 'custom', path: [name], message })
    else if ('minor' in read) normal[minorName] = read.minor
  }
  if (row['amount'] !== undefined || row['amount_minor'] !== undefined) return normal
  const [path, message] = [['amount_minor'], 'is missing, and so is amount']
  context.addIssue({ code: 'invalid_type', expected: 'number', input: undefined, path, message })
  return normal
}
