import { StringDecoder } from 'node:string_decoder'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { UploadType } from '#domain/rails/input/documents.ts'
import { CHECKSUMS_MAX } from './recovery-phrase.ts'
import { nameSecret } from './secret-patterns.ts'

/** A piece is screened without a pause; together with what it repeats of the piece before, in a few milliseconds. */
const PIECE_CHARS = 128 * 1024
/** A secret of at most this length is whole in one piece. The longest is a private JWK of RSA with 8,192 bits, of 6,600 characters. */
const OVERLAP_CHARS = 16 * 1024
/** How far from its end a piece may be cut, so that no word or number is cut in two and taken for another. */
const CUT_CHARS = 1024

/** How the text of each type of file is read; a secret in what stands here is found although the format escapes it. */
const plainTexts: Partial<Record<UploadType, (text: string) => string>> = {
  'text/plain': (text) => text,
  'text/csv': (text) => text.replaceAll('""', '"'),
  'text/tab-separated-values': (text) => text.replaceAll('""', '"'),
  'application/x-ndjson': unescapedJson,
  'application/json': unescapedJson,
  'application/xml': (text) => text,
  'text/xml': (text) => text,
}
function unescapedJson(text: string): string {
  return text.includes('\\') ? text.replace(escapes, unescaped) : text
}
const escapes = /\\(?:u([0-9a-fA-F]{4})|(.))/g
const controls: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: ' ', f: ' ' }
const unescaped = (_: string, code: string | undefined, char = ''): string =>
  code === undefined ? (controls[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16))

/**
 * Screens the bytes of a text as they come, at constant memory: `take` for each chunk, then `end`. Both answer the kind of secret that
 * was found, in words; undefined while there is none. The work is linear in the bytes, whatever they are.
 */
class TextScreen {
  readonly #plainText: (text: string) => string
  readonly #rows: boolean
  readonly #decoder = new StringDecoder('utf8')
  /** What was not yet screened, after what is screened again. */
  #text = ''
  #fresh = 0

  constructor(plainText: (text: string) => string, rows: boolean) {
    this.#plainText = plainText
    this.#rows = rows
  }

  async take(chunk: Buffer): Promise<string | undefined> {
    for (let from = 0; from < chunk.length; from += PIECE_CHARS) {
      this.#add(this.#decoder.write(chunk.subarray(from, from + PIECE_CHARS)))
      if (this.#fresh < PIECE_CHARS) continue
      const end = lastBreak(this.#text)
      const kind = this.#name(this.#text.slice(0, end))
      if (kind !== undefined) return kind
      this.#fresh = this.#text.length - end
      this.#text = this.#text.slice(firstBreak(this.#text, end - OVERLAP_CHARS))
      await nextTurn()
    }
    return undefined
  }

  end(): string | undefined {
    this.#add(this.#decoder.end())
    return this.#name(this.#text)
  }

  /** UTF-16 of ASCII is ASCII between NULs, and so is UTF-32. What is no UTF-8 may be a blank of another encoding. */
  #add(decoded: string): void {
    const text = decoded.replaceAll('\0', '').replaceAll('\ufffd', ' ')
    this.#text += text
    this.#fresh += text.length
  }

  #name(text: string): string | undefined {
    return nameSecret(this.#plainText(text), { checksums: CHECKSUMS_MAX, rows: this.#rows })
  }
}

/** A screen for a file of this type; undefined where its bytes are no text. */
export function textScreenOf(mediaType: UploadType): TextScreen | undefined {
  const plainText = plainTexts[mediaType]
  return plainText === undefined ? undefined : new TextScreen(plainText, mediaType !== 'text/plain')
}

/** The kind of secret in a text that was read from a file. */
export async function nameSecretIn(
  text: string,
  mediaType: 'text/plain' | 'text/csv',
): Promise<string | undefined> {
  const screen = textScreenOf(mediaType)
  return (await screen?.take(Buffer.from(text))) ?? screen?.end()
}

const isBreak = (code: number): boolean => code <= 32 || code === 44

/** The place after the last break, close to the end; the end where there is none. */
function lastBreak(text: string): number {
  for (let at = text.length; at > text.length - CUT_CHARS; at--)
    if (isBreak(text.charCodeAt(at - 1))) return at
  return text.length
}

/** The place after the first break from here on, close to it; here where there is none. */
function firstBreak(text: string, from: number): number {
  for (let at = from; at < from + CUT_CHARS; at++) if (isBreak(text.charCodeAt(at))) return at + 1
  return from
}
