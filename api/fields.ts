import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { plainTextPattern } from '#domain/core/plain-text.ts'
import { payoutUsages } from '#domain/core/usage.ts'

// Wire fields: strings in, strings out, without transforms, so that the same schema is the check, the OpenAPI and the client's type.

/** An EVM address: `0x` and 40 hex in any case. */
export const Address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .meta({ examples: ['0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'] })

/** SHA-256 as 64 lowercase hex. */
export const Digest = z.string().regex(/^[0-9a-f]{64}$/)

/** `po_` and 64 lowercase hex. */
export const PayoutId = z.string().regex(/^po_[0-9a-f]{64}$/)

/** `rc_` and 64 lowercase hex. */
export const ReceiptId = z.string().regex(/^rc_[0-9a-f]{64}$/)

/** 1 to 128 of letters, digits, `.`, `_`, `:` and `-`. */
export const IdempotencyKey = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/)
  .meta({ examples: ['invoice-2026-0117'] })

/** Dollars as decimal text: at most 9 integer digits without a leading zero, at most 6 fraction digits. */
export const UsdcAmount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$/)
  .meta({ examples: ['12.5'] })

/** Millionths of a dollar as integer text. */
export const AtomicAmount = z
  .string()
  .regex(/^(0|[1-9][0-9]*)$/)
  .meta({ examples: ['12500000'] })

/** Unix seconds, from 1 to the end of the year 2099. */
export const ExpiresAt = z.int().min(1).max(limits.expiresAtMax)

/** A 65-byte secp256k1 signature as `0x` and 130 hex. */
export const Signature = z.string().regex(/^0x[0-9a-fA-F]{130}$/)

/** A signature of a wallet that may be a contract, whose signatures have any length (EIP-1271), here up to 4096 bytes. */
export const WalletSignature = z.string().regex(/^0x(?:[0-9a-fA-F]{2}){1,4096}$/)

/** An instant as RFC 3339 in UTC. */
export const Time = z.iso.datetime()

/** What the caller says the payout is for; only a label. */
export const Usage = z.enum(payoutUsages)

/**
 * `min` to `max` code points, for material that is not screened, such as tokens; tab and line feed are the only control characters.
 * The published pattern does not name lone surrogates: many readers' pattern engines know none.
 */
export function text(min: number, max: number) {
  return (
    z
      .string()
      .regex(plainTextPattern, REFUSED_IN_TEXT)
      .refine((value) => !/\p{Cs}/u.test(value), REFUSED_IN_TEXT)
      // What has more than two units for each character needs no count.
      .refine(
        (value) => value.length <= 2 * max && isWithin([...value].length, min, max),
        `text must have ${min} to ${max} characters`,
      )
      .meta({ minLength: min, maxLength: max })
  )
}

const REFUSED_IN_TEXT =
  'text must not hold control characters (other than tab and \\n), bidi overrides or lone surrogates'

/** Up to `max` code points that a person or an agent writes; the pipeline screens it for forbidden material. */
export function freeText(max: number, min = 0) {
  return text(min, max).meta({
    minLength: min,
    maxLength: max,
    'x-free-text': true,
    examples: ['invoice 117'],
  })
}

/** Up to `max` code points that are signed or encoded, such as a compact JWS or SD-JWTs; the pipeline screens what their parts encode. */
export function encodedText(max: number) {
  return text(1, max).meta({ minLength: 1, maxLength: max, 'x-encoded-text': true })
}

const isWithin = (length: number, min: number, max: number): boolean =>
  length >= min && length <= max
