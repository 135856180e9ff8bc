import type { Extraction } from '#domain/rails/input/documents.ts'
import { Unreadable } from './unreadable.ts'

/** A text, and where each of its pages or paragraphs begins. */
export type PlacedText = Pick<Extraction, 'unit' | 'starts'> & { text: string }

/** Texts of pages or paragraphs as one, a line break after each. Throws `Unreadable` where it is longer than `charsMax`, or blank. */
export function textOfParts(
  unit: 'page' | 'paragraph',
  parts: readonly string[],
  charsMax: number,
): PlacedText {
  const starts: number[] = []
  let length = 0
  const clean = parts.map((part) => {
    const text = `${cleaned(part)}\n`
    starts.push(length)
    length += text.length
    if (length > charsMax) throw tooManyChars(charsMax)
    return text
  })
  const text = clean.join('')
  assertSaysSomething(text)
  return { text, unit, starts }
}

export const tooManyChars = (charsMax: number) =>
  new Unreadable(`has more than ${charsMax} characters of text`)

export function assertSaysSomething(text: string): void {
  if (text.trim() === '')
    throw new Unreadable(
      'holds no text: a scan is uploaded as an image, or with its text next to it',
    )
}

/** A text without lone surrogates and the control characters that neither a reader nor the database takes. */
export const cleaned = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  text.replace(/\p{Cs}/gu, '\ufffd').replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, ' ')
