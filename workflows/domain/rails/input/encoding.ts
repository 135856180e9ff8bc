type Unmarked = 'utf-16le-unmarked' | 'utf-16be-unmarked'

/** How much of the begin decides, in bytes; a shorter text decides as a whole. */
const SAMPLE_BYTES = 4_096
const UNITS_MIN = 4
const ZEROS_MIN = 3 / 4
/** What no text has: control characters but those that separate, and code points that are no character. */
const noText = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\p{Cf}\t\n\v\f\r]/u

/** Whether the first two bytes allow UTF-16 without a mark, whose text begins with a character below U+0100. */
const mayBeUnmarked = ([first, second]: Uint8Array): boolean => (first === 0) !== (second === 0)

/**
 * UTF-16 without a byte order mark (RFC 2781, section 4.3), by the begin of the text: zero bytes stand in every second place alone, in three
 * quarters of these at least, and all of it is characters. A text of UTF-8 has no zero byte, unless it has the character NUL.
 */
function unmarkedUtf16(sample: Uint8Array): Unmarked | undefined {
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
function readerOf(encoding: Unmarked): (bytes: Uint8Array, isMore: boolean) => string {
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

/** How the bytes of a text are read. */
export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'utf-16le-unmarked',
  'utf-16be-unmarked',
  'windows-1252',
] as const
export type Encoding = (typeof encodings)[number]

/** The characters of 0x80 to 0x9f in Windows-1252 (WHATWG Encoding); a blank stands for a byte that has none. */
const between = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'
const CHUNK = 8_192

/**
 * Reads the bytes of a text as they come, wherever they are cut: UTF-16 by its byte order mark or by the zero bytes
 * of its begin; otherwise the first character beyond ASCII decides, which is UTF-8, or else Windows-1252. Throws a TypeError for bytes that are no such text.
 */
export class TextReader {
  #decode: ((bytes: Uint8Array, isMore: boolean) => string) | undefined
  /** What came, and does not decide yet. */
  #held = new Uint8Array()
  #isStart = true
  /** A text of ASCII alone is UTF-8. */
  encoding: Encoding = 'utf-8'

  take(piece: Uint8Array): string {
    return this.#read(piece, true)
  }

  end(): string {
    return this.#read(new Uint8Array(), false)
  }

  #read(piece: Uint8Array, isMore: boolean): string {
    if (this.#decode !== undefined) return this.#decode(piece, isMore)
    const bytes = this.#held.length === 0 ? piece : joined(this.#held, piece)
    if (this.#isStart && (bytes.length < 2 || mayBeUnmarked(bytes))) {
      this.#held = bytes.slice()
      if (isMore && bytes.length < SAMPLE_BYTES) return ''
      const unmarked = unmarkedUtf16(bytes.subarray(0, SAMPLE_BYTES))
      if (unmarked !== undefined) {
        this.encoding = unmarked
        this.#decode = readerOf(unmarked)
        return this.#decode(this.#held, isMore)
      }
    }
    let from = 0
    while (from < bytes.length && (bytes[from] ?? 0) < 0x80) from += 1
    const found = from === bytes.length ? 'utf-8' : this.#encodingAt(bytes, from, isMore)
    const before = asciiText.decode(bytes.subarray(0, from))
    this.#held = bytes.slice(from)
    if (found !== undefined && from < bytes.length) {
      this.encoding = found
      this.#decode = decoderOf(found, this.#isStart && from === 0)
      return before + this.#decode(this.#held, isMore)
    }
    this.#isStart &&= from === 0
    return before
  }

  /** The encoding of the first character beyond ASCII; undefined until there are enough bytes. */
  #encodingAt(bytes: Uint8Array, from: number, isMore: boolean) {
    const [first = 0, second] = bytes.subarray(from)
    if (this.#isStart && from === 0 && first >= 0xfe) {
      if (second === undefined && isMore) return undefined
      if (first === 0xff && second === 0xfe) return 'utf-16le'
      if (first === 0xfe && second === 0xff) return 'utf-16be'
    }
    const character = bytes.subarray(from, from + utf8Length(first))
    if (character.length < utf8Length(first) && isMore) return undefined
    return isUtf8(character) ? 'utf-8' : 'windows-1252'
  }
}

/** The text of whole bytes, and how they were read; undefined where they are no text. */
export function decodeText(bytes: Uint8Array): { text: string; encoding: Encoding } | undefined {
  const reader = new TextReader()
  try {
    const text = reader.take(bytes) + reader.end()
    return { text, encoding: reader.encoding }
  } catch {
    return undefined
  }
}

/** How bytes that are not UTF-8 were read, in words. */
export function encodingNote(encoding: Encoding): string {
  if (encoding === 'windows-1252') return 'not UTF-8: it was read as Windows-1252, which is assumed'
  const [name = '', isUnmarked] = encoding.split(/(-unmarked)$/)
  return isUnmarked === undefined
    ? `read as ${name.toUpperCase()}, as its byte order mark says`
    : `read as ${name.toUpperCase()} without a byte order mark, as its zero bytes show`
}

const asciiText = new TextDecoder('utf-8', { fatal: true })
const utf8Length = (first: number): number => 2 + Number(first >= 0xe0) + Number(first >= 0xf0)

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

function decoderOf(encoding: Exclude<Encoding, Unmarked>, isStart: boolean) {
  if (encoding === 'windows-1252') return (bytes: Uint8Array) => windows1252(bytes)
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: !isStart })
  return (bytes: Uint8Array, isMore: boolean) => decoder.decode(bytes, { stream: isMore })
}

/** Not by TextDecoder, of which versions of Node read 0x80 to 0x9f as control characters. */
function windows1252(bytes: Uint8Array): string {
  let text = ''
  for (let from = 0; from < bytes.length; from += CHUNK)
    text += String.fromCharCode(...Array.from(bytes.subarray(from, from + CHUNK), codeOf))
  return text
}

function codeOf(byte: number): number {
  const code = byte < 0x80 || byte > 0x9f ? byte : between.charCodeAt(byte - 0x80)
  const isControl = code < 0x20 && (code < 0x09 || code > 0x0d)
  if (isControl || (code === 0x20 && byte !== 0x20)) throw new TypeError('the bytes are no text')
  return code
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
