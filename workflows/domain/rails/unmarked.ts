export type Unmarked = 'utf-16le-unmarked' | 'utf-16be-unmarked'

/** How much of the begin decides, in bytes; a shorter text decides as a whole. */
export const SAMPLE_BYTES = 4_096
const UNITS_MIN = 4
const ZEROS_MIN = 3 / 4
/** What no text has: control characters but those that separate, and code points that are no character. */
const noText = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\p{Cf}\t\n\v\f\r]/u

/** Whether the first two bytes allow UTF-16 without a mark, whose text begins with a character below U+0100. */
export const mayBeUnmarked = ([first, second]: Uint8Array): boolean =>
  (first === 0) !== (second === 0)

/**
 * UTF-16 without a byte order mark (RFC 2781, section 4.3), by the begin of the text: zero bytes stand in every second place alone, in three
 * quarters of these at least, and all of it is characters. A text of UTF-8 has no zero byte, unless it has the character NUL.
 */
export function unmarkedUtf16(sample: Uint8Array): Unmarked | undefined {
  const units = sample.length / 2
  if (!Number.isInteger(units) || units < UNITS_MIN || !mayBeUnmarked(sample)) return undefined
  const high = sample[0] === 0 ? 0 : 1
  let zeros = 0
  for (const [at, byte] of sample.entries()) {
    if (byte !== 0) continue
    if (at % 2 !== high) return undefined
    zeros += 1
  }
  if (zeros < units * ZEROS_MIN) return undefined
  const found = high === 0 ? 'utf-16be-unmarked' : 'utf-16le-unmarked'
  try {
    readerOf(found)(sample, true)
    return found
  } catch {
    return undefined
  }
}

/** Reads such a text piece by piece. It throws a TypeError for what is no text, such as half of a surrogate pair. */
export function readerOf(encoding: Unmarked): (bytes: Uint8Array, isMore: boolean) => string {
  const decoder = new TextDecoder(encoding.replace('-unmarked', ''), {
    fatal: true,
    ignoreBOM: true,
  })
  return (bytes, isMore) => {
    const text = decoder.decode(bytes, { stream: isMore })
    if (noText.test(text)) throw new TypeError('the bytes are no text')
    return text
  }
}
