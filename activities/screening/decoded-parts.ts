import { isNestedWithin } from '#domain/core/json-text.ts'
import { limits } from '#domain/core/limits.ts'
import { jsonOf, textOf } from '#domain/core/strict-json.ts'
import { decodeText } from '#domain/rails/input/encoding.ts'

/** Nothing shorter encodes a secret. */
const PART_CHARS_MIN = 10
const PART_END = /[.~]/

/**
 * What the base64url parts of a text encode, such as the claims of a compact JWS and the disclosures of an SD-JWT: each as text and as
 * its JSON value, and what tokens inside of these encode. The work is linear in the text, as each encoding is longer by a third.
 */
export function* decodedParts(text: string): Generator<unknown> {
  for (const part of text.split(PART_END)) {
    const bytes = bytesOf(part)
    const decoded = bytes && textOf(bytes)
    if (decoded === undefined) continue
    yield decoded
    const value = jsonOf(decoded)
    const strings = value === undefined ? [decoded] : [...stringsIn(value)]
    yield isNestedWithin(bytes as Uint8Array, limits.jsonDepthMax) ? value : strings
    for (const one of strings) yield* decodedParts(one)
  }
}

/** The texts that a file in base64 is read as. */
export function* decodedFile(text: string): Generator<unknown> {
  yield* decodedParts(text)
  const bytes = bytesOf(text)
  const read = bytes && decodeText(bytes)
  if (read !== undefined && read.encoding !== 'utf-8') yield read.text
}

/** A compact JWS (RFC 7515 §7.1), and the disclosures and tokens that follow it in an SD-JWT. */
const tokens = /(?<![\w-])eyJ[\w-]*\.[\w-]*\.[\w-]*(?:[.~][\w-]*)*/g
/** A signature of Ed25519 or ES256: 64 bytes. */
const signature = /^[\w-]{86}$/

/** A text without what its tokens encode and without their signatures, in which random characters can look like a secret. */
export const withoutTokens = (text: string): string =>
  text.replace(tokens, (token) =>
    token
      .split(PART_END)
      .filter((part) => !signature.test(part) && !encodesJson(part))
      .join(' '),
  )

function encodesJson(part: string): boolean {
  const bytes = bytesOf(part)
  return bytes !== undefined && jsonOf(textOf(bytes)) !== undefined
}

/** The bytes of a part in either alphabet of base64, padded or not; undefined for other text. */
const bytesOf = (part: string): Uint8Array | undefined =>
  part.length >= PART_CHARS_MIN && /^[\w+/-]+={0,2}$/.test(part)
    ? Buffer.from(part, 'base64url')
    : undefined

/** Every string in a JSON value of any depth, without the names of members. */
function* stringsIn(value: unknown): Generator<string> {
  const waiting = [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one === 'string') yield one
    else if (typeof one === 'object' && one !== null) waiting.push(...Object.values(one))
  }
}
