import { z } from 'zod'

/** `min` to `max` UTF-16 units without lone surrogates, which have no UTF-8 and so no digest. */
export function text(min: number, max: number) {
  return z
    .string()
    .min(min)
    .max(max)
    .refine((value) => !/\p{Cs}/u.test(value), 'text must not hold lone surrogates')
}

/** What the texts of one input may hold together: lists of texts multiply, and an input is to be refused before it is paid for. */
export const INPUT_CHARS_MAX = 1_400_000
export const together = (parts: readonly (string | undefined)[]): boolean =>
  parts.reduce((sum, part) => sum + (part?.length ?? 0), 0) <= INPUT_CHARS_MAX
export const tooLongTogether = `the texts have more than ${INPUT_CHARS_MAX} characters together`

/** Adds the faults of an input by their place and what is wrong there. */
export const faultsTo =
  ({ addIssue }: Pick<z.RefinementCtx, 'addIssue'>) =>
  (path: PropertyKey[], message: string): void =>
    addIssue({ code: 'custom', path, message })

/** A UTC day (`2026-05-31`) or an instant as RFC 3339 in UTC. */
export const Moment = z.union([z.iso.date(), z.iso.datetime()])
export const Digest = z.string().regex(/^[0-9a-f]{64}$/)

/** A citation inside a result: an RFC 6901 pointer into the input and the words that stand there. */
export const Cited = z.strictObject({ pointer: z.string(), quote: z.string() })
/** A citation of a part of a text: `from` and `to` are UTF-16 offsets into the string at the pointer, `to` exclusive. */
export const Span = z.strictObject({
  pointer: z.string(),
  quote: z.string(),
  from: z.int().min(0),
  to: z.int().min(0),
  place: z.string().exactOptional().meta({
    description: 'The page or paragraph of the file that the text was read from.',
  }),
})
export type Span = z.output<typeof Span>
