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
 * row that has passed it has `amount_minor`.
 */
export function moneyRow<Shape extends z.ZodRawShape>(shape: Shape) {
  const either = { amount: Major.optional(), amount_minor: Minor.optional() }
  const given = z.strictObject({ ...shape, currency: Currency, ...either })
  const normal = z.strictObject({ ...shape, currency: Currency, amount_minor: Minor })
  return given.transform(inMinor).pipe(normal as unknown as Normal<typeof normal>)
}

/** A schema for values whose type is checked when the program runs. */
type Normal<Schema extends z.ZodType> = z.ZodType<z.output<Schema>, unknown>
type Given = { currency: string; amount?: Major | undefined; amount_minor?: number | undefined }

function inMinor(row: unknown, context: z.RefinementCtx): unknown {
  const { amount, ...rest } = row as Given
  const fault = (message: string) => {
    context.addIssue({ code: 'custom', path: ['amount'], message })
    return z.NEVER
  }
  if (amount === undefined) return rest.amount_minor === undefined ? missing(context) : rest
  if (rest.amount_minor !== undefined) return fault('is given next to amount_minor')
  const read = toMinor(amount, rest.currency)
  return 'fault' in read ? fault(read.fault) : { ...rest, amount_minor: read.minor }
}

function missing({ addIssue }: z.RefinementCtx): never {
  const [path, message] = [['amount_minor'], 'is missing, and so is amount']
  addIssue({ code: 'invalid_type', expected: 'number', input: undefined, path, message })
  return z.NEVER
}
