import { z } from 'zod'

/** The kinds of settings that several files have, each with its default. */
export const text = (fallback = '') => z.string().default(fallback)
export const atLeast = (least: number, fallback: number) =>
  z.coerce.number().int().min(least).default(fallback)
export const between = (least: number, most: number, fallback: number) =>
  z.coerce.number().int().min(least).max(most).default(fallback)
export const count = (fallback: number) => atLeast(0, fallback)

/** What is between commas, without spaces around it. */
export const list = z.string().transform((all) =>
  all
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

/** Whether a text is a URL of one of these protocols and names a host. */
const isUrl = (text: string, protocols: RegExp): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && protocols.test(url.protocol) && url.hostname !== ''
}
export const httpUrl = z
  .string()
  .refine((text) => isUrl(text, /^https?:$/), 'not an http or https URL')
export const optionalUrl = httpUrl.or(z.literal('')).default('')
/** A server and a database on it. */
export const postgresUrl = z
  .string()
  .refine(
    (text) => isUrl(text, /^postgres(ql)?:$/) && new URL(text).pathname.length > 1,
    'not a URL as postgres://user:password@host:5432/database',
  )
/** A host and a port, without a protocol. */
export const hostAndPort = z
  .string()
  .regex(
    /^[^\s/:]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/,
    'not a host and a port, as temporal:7233',
  )
