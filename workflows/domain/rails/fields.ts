import { z } from 'zod'

/** `min` to `max` UTF-16 units without lone surrogates, which have no UTF-8 and so no digest. */
export function text(min: number, max: number) {
  return z
    .string()
    .min(min)
    .max(max)
    .refine((value) => !/\p{Cs}/u.test(value), 'text must not hold lone surrogates')
}

/** A UTC day (`2026-05-31`) or an instant as RFC 3339 in UTC. */
export const Moment = z.union([z.iso.date(), z.iso.datetime()])
export const Digest = z.string().regex(/^[0-9a-f]{64}$/)

/** A citation inside a result: an RFC 6901 pointer into the input and the words that stand there. */
export const Cited = z.strictObject({ pointer: z.string(), quote: z.string() })
/** A citation of a part of a text: `from` and `to` are UTF-16 offsets into the string at the pointer, `to` exclusive. */
export const Span = z.strictObject({ pointer: z.string(), quote: z.string(), from: z.int().min(0), to: z.int().min(0) })
export type Span = z.output<typeof Span>
