import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import type { Extraction } from '#domain/rails/input/documents.ts'

import { type PlacedText, textOfParts, tooManyChars } from './placed-text.ts'
import { extractLimits, OTHER_TYPE, Unreadable } from './unreadable.ts'

/** Nothing of the file runs or is fetched: no scripts, forms, fonts of the system or files inside of it. */
const settings = {
  isEvalSupported: false,
  enableXfa: false,
  useSystemFonts: false,
  disableFontFace: true,
  disableAutoFetch: true,
  disableStream: true,
  verbosity: 0,
} as const

/** Lines of two paragraphs are this much further apart than usual. */
const PARAGRAPH_GAP = 1.4

type PdfText = PlacedText & Pick<Extraction, 'extractor' | 'version'>

const inflateLimits = {
  totalMax: extractLimits.inflatedBytesMax,
  oneMax: extractLimits.streamBytesMax,
}

/** The text of the pages of a PDF. Throws `Unreadable`. */
export function readPdf(bytes: Uint8Array, charsMax: number): Promise<PdfText> {
  if (!Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-')) throw new Unreadable(OTHER_TYPE)
  return withBoundedInflating(inflateLimits, async (exceeded) => {
    const read = await readPages({ bytes, charsMax, exceeded }).catch((error: unknown) => {
      throw exceeded() ? tooLarge : error
    })
    if (exceeded()) throw tooLarge
    return read
  })
}

const tooLarge = new Unreadable(
  `has a stream that inflates to more than ${extractLimits.streamBytesMax} bytes, or streams to more than ${extractLimits.inflatedBytesMax}`,
)

type Reading = { bytes: Uint8Array; charsMax: number; exceeded: () => boolean }

async function readPages({ bytes, charsMax, exceeded }: Reading): Promise<PdfText> {
  const pdf = await getDocumentProxy(bytes, settings).catch((error: unknown) => {
    const isLocked = (error as { name?: unknown } | null)?.name === 'PasswordException'
    throw new Unreadable(isLocked ? 'is encrypted' : 'is damaged')
  })
  try {
    if (pdf.numPages > extractLimits.pagesMax)
      throw new Unreadable(`has more than ${extractLimits.pagesMax} pages`)
    const pages: string[] = []
    let chars = 0
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number)
      const text = textOfPage((await page.getTextContent()).items)
      page.cleanup()
      if (exceeded()) throw tooLarge
      chars += text.length
      if (chars > charsMax) throw tooManyChars(charsMax)
      pages.push(text)
    }
    const { version } = await getResolvedPDFJS()
    return { ...textOfParts('page', pages, charsMax), extractor: 'pdf.js', version }
  } finally {
    await pdf.destroy()
  }
}

type Items = Awaited<
  ReturnType<
    Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>['getTextContent']
  >
>['items']

/** The lines of a page; where two are further apart than most, a blank line ends a paragraph. */
function textOfPage(items: Items): string {
  const lines: { text: string; y: number }[] = []
  let line = { text: '', y: 0 }
  for (const item of items) {
    if (!('str' in item)) continue
    if (line.text === '') line.y = Number(item.transform[5])
    line.text += item.str
    if (!item.hasEOL) continue
    lines.push(line)
    line = { text: '', y: 0 }
  }
  if (line.text !== '') lines.push(line)
  const said = lines.filter(({ text }) => text.trim() !== '')
  const gaps = said.map(({ y }, at) => Math.abs((said[at - 1]?.y ?? y) - y))
  const usual = gaps.slice(1).toSorted((a, b) => a - b)[Math.floor((said.length - 2) / 2)] ?? 0
  return said
    .map(
      ({ text }, at) => `${(gaps[at] ?? 0) > PARAGRAPH_GAP * usual && at > 0 ? '\n' : ''}${text}`,
    )
    .join('\n')
}

/** The bytes that all buffers together may grow to, and that one may. */
type InflateLimits = { readonly totalMax: number; readonly oneMax: number }

class TooManyBytes extends Error {}

/**
 * Does work of pdf.js, and ends it where its buffers grow too far. Every decoder of it (Flate, LZW, run lengths, ASCII, predictors, in
 * any chain) writes into a buffer that is copied into one of twice its size, or inflates by a `DecompressionStream`; both are counted.
 * That of Brotli collects `Int8Array`s and copies them at its end: what all of them hold is counted like one buffer.
 * pdf.js takes the error for a damaged stream and reads on, so the caller asks `exceeded`. Only for a process that does nothing else
 * meanwhile.
 */
async function withBoundedInflating<Result>(
  { totalMax, oneMax }: InflateLimits,
  work: (exceeded: () => boolean) => Promise<Result>,
): Promise<Result> {
  const { prototype } = Object.getPrototypeOf(Uint8Array) as { prototype: Uint8Array }
  const { set } = prototype
  const { DecompressionStream: Inflating } = globalThis
  const { Int8Array: SignedBytes } = globalThis
  let [total, signed, isOver] = [0, 0, false]
  const count = (more: number, ofOne: number): void => {
    total += more
    if (ofOne > oneMax || total > totalMax) isOver = true
    if (isOver) throw new TooManyBytes('the buffers have grown too far')
  }
  prototype.set = function bounded(this: Uint8Array, from: ArrayLike<number>, offset?: number) {
    count(from.length, from.length)
    set.call(this, from, offset)
  }
  const BoundedBytes = new Proxy(SignedBytes, {
    construct: (target, given: [unknown], newTarget) => {
      const [length] = given
      if (typeof length === 'number') {
        signed += length
        count(length, signed)
      }
      return Reflect.construct(target, given, newTarget)
    },
  })
  class BoundedInflating {
    readonly readable
    readonly writable
    constructor(format: 'deflate') {
      const { readable, writable } = new Inflating(format)
      let own = 0
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          own += chunk.length
          count(chunk.length, own)
          controller.enqueue(chunk)
        },
      })
      this.readable = readable.pipeThrough(counted)
      this.writable = writable
    }
  }
  Object.assign(globalThis, { DecompressionStream: BoundedInflating, Int8Array: BoundedBytes })
  try {
    return await work(() => isOver)
  } finally {
    prototype.set = set
    Object.assign(globalThis, { DecompressionStream: Inflating, Int8Array: SignedBytes })
  }
}
