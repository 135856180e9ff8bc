import { createHash } from 'node:crypto'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { pointerOf } from '#domain/core/json-pointer.ts'
import type { Extraction, UploadType } from '#domain/rails/input/documents.ts'
import { decodeText } from '#domain/rails/input/encoding.ts'
import { type GroupedFaults, groupFaults } from '#domain/rails/input/input-faults.ts'
import { nameSecretIn, textScreenOf } from '../../screening/text-screen.ts'
import { readDocx } from './docx.ts'
import { readPdf } from './pdf.ts'
import { assertSaysSomething, cleaned, tooManyChars } from './placed-text.ts'
import { extractLimits, OTHER_TYPE, Unreadable } from './unreadable.ts'
import { readSheet } from './xlsx.ts'

/** What a file is read as: a document of at most `charsMax` characters, or the rows of a list. */
export type ReadAs =
  | { kind: 'document'; charsMax: number; images: boolean }
  | { kind: 'rows'; list: string; sheet: string | null }
export type Extracted = { extraction: Extraction } | Rejected | Secret

type Read = Pick<Extraction, 'extractor' | 'version' | 'text' | 'unit' | 'starts' | 'sheet'>
type Rejected = { faults: GroupedFaults }
/** The kind of secret that the text of a file holds. */
type Secret = { secret: string }
type Reading = { bytes: Uint8Array; as: ReadAs }

/** Reads a file of this type; what is wrong with it is a fault of the input, and never an error. */
export async function extract(
  mediaType: UploadType,
  pieces: AsyncIterable<Uint8Array>,
  as: ReadAs,
): Promise<Extracted> {
  try {
    const bytes = await gathered(pieces)
    // The reader of PDF takes the bytes away.
    const file = {
      upload_sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
    }
    const read = await readers[mediaType]({ bytes, as })
    if ('faults' in read) return read
    const secret = await secretIn(mediaType, read)
    if (secret !== undefined) return { secret }
    const extraction: Extraction = {
      type: 'service.extraction.v1',
      media_type: mediaType,
      ...file,
      sheet_asked: as.kind === 'rows' ? as.sheet : null,
      text_sha256: read.text === null ? null : sha256Hex(read.text),
      ...read,
    }
    return { extraction }
  } catch (error) {
    return { faults: groupFaults([unreadable(error, as)]) }
  }
}

/** Texts were screened when they were uploaded. */
async function secretIn(mediaType: UploadType, { text, sheet }: Read): Promise<string | undefined> {
  if (text === null || textScreenOf(mediaType) !== undefined) return undefined
  return nameSecretIn(text, sheet === null ? 'text/plain' : 'text/csv')
}

function unreadable(error: unknown, as: ReadAs) {
  const what = error instanceof Unreadable ? error.message : 'is damaged'
  const pointer = pointerOf([as.kind === 'rows' ? as.list : 'upload'])
  const at = { field: pointer, pointer, row: null, value: null }
  return { kind: 'file_unreadable' as const, message: `the file ${what}`, ...at }
}

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const taken: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > extractLimits.bytesMax)
      throw new Unreadable(`is longer than ${extractLimits.bytesMax} bytes`)
    taken.push(piece)
  }
  // Not a Buffer: the reader of PDF refuses one.
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of taken) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** The version of the readers of DOCX and XLSX here, and of plain text: it changes with what they read. */
const OWN_VERSION = '1'
const own = (extractor: string) => ({ extractor, version: OWN_VERSION })
const noSheet = { sheet: null }

const readers: Record<UploadType, (reading: Reading) => Read | Rejected | Promise<Read>> = {
  'application/pdf': async ({ bytes, as }) => ({
    ...(await readPdf(bytes, documentOf(as).charsMax)),
    ...noSheet,
  }),
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ({ bytes, as }) => ({
    ...readDocx(bytes, documentOf(as).charsMax),
    ...noSheet,
    ...own('docx'),
  }),
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ({ bytes, as }) => {
    if (as.kind === 'document') throw new Unreadable('is a spreadsheet: send its rows as a text')
    const read = readSheet(bytes, as.sheet, as.list)
    if ('faults' in read) return { faults: groupFaults(read.faults) }
    return { text: read.csv, unit: null, starts: [], sheet: read.sheet, ...own('xlsx') }
  },
  'image/png': ({ bytes, as }) =>
    claimed(bytes, as, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'image/jpeg': ({ bytes, as }) => claimed(bytes, as, [0xff, 0xd8, 0xff]),
  'text/plain': plainText,
  'text/csv': plainText,
  'application/x-ndjson': plainText,
  'text/tab-separated-values': plainText,
  'application/json': plainText,
  'application/xml': plainText,
  'text/xml': plainText,
}

/** An image is kept as a claim. */
function claimed(bytes: Uint8Array, as: ReadAs, magic: readonly number[]): Read {
  if (!documentOf(as).images) throw new Unreadable('is an image, which is not read as text')
  if (magic.some((byte, at) => bytes[at] !== byte)) throw new Unreadable(OTHER_TYPE)
  return { text: null, unit: null, starts: [], extractor: null, version: null, ...noSheet }
}

function plainText({ bytes, as }: Reading): Read {
  const { charsMax } = documentOf(as)
  const read = decodeText(bytes)
  if (read === undefined) throw new Unreadable('is no text in UTF-8, UTF-16 or Windows-1252')
  const text = cleaned(read.text)
  if (text.length > charsMax) throw tooManyChars(charsMax)
  assertSaysSomething(text)
  return { text, unit: null, starts: [], ...noSheet, ...own(read.encoding) }
}

function documentOf(as: ReadAs) {
  if (as.kind === 'rows')
    throw new Unreadable('has no rows: send a text, such as CSV or JSON Lines, or XLSX')
  return as
}
