import { z } from 'zod'
import { pointerOf } from '../../core/json-pointer.ts'
import { isObject } from '../../core/plain-object.ts'
import type { Finding, Rail, TakesDocuments } from '../rail.ts'
import { type Encoding, encodingNote } from './encoding.ts'
import { Digest } from './fields.ts'

export const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
/** The types of files that are read by an extractor, or kept as claims. */
const documentTypes = ['application/pdf', wordType, sheetType, 'image/png', 'image/jpeg'] as const
/** The types of texts. Their content says what the rows of a list are; as documents they are read as they are. */
export const rowTypes = [
  'text/csv',
  'application/x-ndjson',
  'text/tab-separated-values',
  'application/json',
  'application/xml',
  'text/xml',
  'text/plain',
] as const
export const uploadTypes = [...rowTypes, ...documentTypes] as const
export type UploadType = (typeof uploadTypes)[number]

/**
 * What was read from an uploaded file, once, by a named extractor. Work is done on this text, so that a replay needs neither file nor
 * extractor. An image has no text.
 */
export const Extraction = z
  .strictObject({
    type: z.literal('service.extraction.v1'),
    upload_sha256: Digest,
    media_type: z.enum(uploadTypes),
    bytes: z.int().min(1),
    extractor: z.string().nullable(),
    version: z.string().nullable(),
    /** The sheet that was asked for, and the one that was read. */
    sheet_asked: z.string().nullable(),
    sheet: z.string().nullable(),
    /** UTF-8; rows are CSV. */
    text: z.string().nullable(),
    text_sha256: Digest.nullable(),
    unit: z.enum(['page', 'paragraph']).nullable(),
    /** The UTF-16 offset at which each page or paragraph begins. */
    starts: z.array(z.int().min(0)),
  })
  .meta({ id: 'Extraction' })
export type Extraction = z.output<typeof Extraction>

/** Stands where a text could: the SHA-256 of an uploaded file. */
export const UploadedFile = z.strictObject({ sha256: Digest })

type Place = { pointer: string; sha256: string }

/** The files that stand in an input for texts, each with the place of what names it. */
export function documentsOf({ documents }: Pick<Rail, 'documents'>, input: unknown): Place[] {
  if (documents === undefined || !isObject(input)) return []
  return placesIn(documents, input).flatMap(({ pointer, value }) => {
    const named = isObject(value) ? UploadedFile.safeParse(value['upload']).data : undefined
    return named === undefined ? [] : [{ pointer, sha256: named.sha256 }]
  })
}

function placesIn({ within }: TakesDocuments, input: Record<string, unknown>) {
  if (within === null) return [{ pointer: '', value: input as unknown }]
  const list = input[within]
  return !Array.isArray(list)
    ? []
    : list.map((value: unknown, index) => ({ pointer: pointerOf([within, index]), value }))
}

/** The extraction of a file as a document. */
export const textOf = (all: readonly Extraction[], sha256: string): Extraction | undefined =>
  all.find(({ upload_sha256, media_type }) => upload_sha256 === sha256 && media_type !== sheetType)

/** An input with the texts of its files in place. Throws a RangeError where one is not among the extractions. */
export function withTexts<Input>(
  { documents }: Pick<Rail, 'documents'>,
  input: Input,
  all: readonly Extraction[],
): Input {
  if (documents === undefined || !isObject(input)) return input
  const { within, text } = documents
  const placed = (value: unknown): unknown => {
    const named = isObject(value) ? UploadedFile.safeParse(value['upload']).data : undefined
    if (named === undefined) return value
    const found = textOf(all, named.sha256)
    if (found === undefined) throw new RangeError(`the file ${named.sha256} was not read`)
    return { ...(value as object), ...(found.text === null ? {} : { [text]: found.text }) }
  }
  if (within === null) return placed(input) as Input
  const list = input[within]
  return { ...input, ...(Array.isArray(list) ? { [within]: list.map(placed) } : {}) } as Input
}

/** Names each file of an input, its extractor and the digest of its text. */
export function readingFindings(
  rail: Pick<Rail, 'documents'>,
  input: unknown,
  all: readonly Extraction[],
): Finding[] {
  return documentsOf(rail, input).flatMap(({ pointer, sha256 }) => {
    const found = textOf(all, sha256)
    const citations = [{ pointer: `${pointer}/upload/sha256`, quote: sha256 }]
    return found === undefined ? [] : [{ ...readingOf(found), citations }]
  })
}

/** The reading of a sheet that stands for a list. */
export const sheetFinding = (list: string, read: Extraction): Finding => ({
  ...readingOf(read),
  citations: [{ pointer: pointerOf([list]) }],
})

/** How an uploaded list was read that is not UTF-8. */
export const encodingFinding = (list: string, encoding: Encoding): Finding[] =>
  encoding === 'utf-8'
    ? []
    : [
        {
          code: 'encoding_read',
          detail: `The list ${list} is ${encodingNote(encoding)}.`,
          citations: [{ pointer: pointerOf([list]) }],
        },
      ]

function readingOf(read: Extraction): Pick<Finding, 'code' | 'detail'> {
  const { upload_sha256, media_type, bytes, extractor, version, text, text_sha256 } = read
  const file = `file ${upload_sha256} (${media_type}, ${bytes} bytes)`
  if (text === null)
    return { code: 'image_claimed', detail: `The ${file} is kept as a claim; it was not read.` }
  const count = read.starts.length
  const parts = read.unit === null ? '' : `, ${count} ${read.unit}${count === 1 ? '' : 's'}`
  const sheet = read.sheet === null ? '' : `, sheet ${JSON.stringify(read.sheet)}`
  const detail = `${extractor} ${version} read the ${file}${sheet}${parts}; the SHA-256 of its text is ${text_sha256}.`
  return { code: 'file_read', detail }
}

/** A result whose citations of texts from files also name the page or paragraph. */
export function withPlaces<Result>(
  rail: Pick<Rail, 'documents'>,
  input: unknown,
  all: readonly Extraction[],
  result: Result,
): Result {
  const read = documentsOf(rail, input).flatMap(({ pointer, sha256 }) => {
    const found = textOf(all, sha256)
    return found?.unit == null ? [] : [[`${pointer}/${rail.documents?.text}`, found] as const]
  })
  if (read.length === 0) return result
  return placedIn(result, new Map(read)) as Result
}

function placedIn(value: unknown, read: ReadonlyMap<string, Extraction>): unknown {
  if (Array.isArray(value)) return value.map((one) => placedIn(one, read))
  if (!isObject(value)) return value
  const { pointer, from } = value
  const found = typeof pointer === 'string' ? read.get(pointer) : undefined
  if (found !== undefined && typeof from === 'number')
    return { ...value, place: `${found.unit} ${partAt(found.starts, from)}` }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, placedIn(member, read)]),
  )
}

/** The number, from 1, of the part that an offset is in. */
function partAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] as number) <= offset) low = middle + 1
    else high = middle
  }
  return low
}
