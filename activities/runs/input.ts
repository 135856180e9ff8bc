import { canonicalJson } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { railOf } from '#domain/rails/index.ts'
import {
  documentsOf,
  type Extraction,
  type rowTypes,
  textOf,
  type UploadType,
} from '#domain/rails/input/documents.ts'
import type { InputFault } from '#domain/rails/input/input-faults.ts'
import {
  rowsOfSheet,
  type Uploaded,
  uploadDigestsOf,
  uploadsOf,
} from '#domain/rails/input/uploads.ts'
import type { Rail, RailKey } from '#domain/rails/rail.ts'
import { countBytes, findInput } from '../store/inputs/agent-inputs.ts'
import type { Tx } from '../store/postgres/db.ts'
import { findDocument, listExtractions, type TaskRow } from '../store/tasks/tasks.ts'
import { csvOf, type RowSource } from './rows.ts'
import { readInput } from './stored-input.ts'

/** The input of a run: the stored document, the uploaded lists that it names, and what was read from its files. */
export type RunInput = {
  readonly rail: Rail
  readonly value: unknown
  /** Each upload by the name of its list. */
  readonly uploads: Readonly<Record<string, Uploaded>>
  readonly extractions: readonly Extraction[]
}

/** Throws 409 `not_ready` while the input is not there. */
export async function readRunInput(db: Tx, task: TaskRow): Promise<RunInput> {
  const { task_id, input_sha256 } = task
  const rail = railOf(task.rail as RailKey)
  const value = input_sha256 === null ? undefined : await findDocument(db, task_id, input_sha256)
  if (value === undefined)
    throw refuse('not_ready', {
      detail: 'the input of the run is not there',
      next_action: 'Send the input.',
    })
  const extractions = await listExtractions(db, task_id, uploadDigestsOf(rail, value))
  return { rail, value, uploads: uploadsOf(rail, value), extractions }
}

/** Files of an input that could not be read before its run, as faults. */
export async function unreadFaults(
  db: Tx,
  owner: string | null,
  { rail, value, uploads, extractions }: RunInput,
): Promise<InputFault[]> {
  const unread = documentsOf(rail, value).flatMap(({ pointer, sha256 }) =>
    textOf(extractions, sha256) === undefined ? [`${pointer}/upload`] : [],
  )
  for (const [list, named] of Object.entries(uploads)) {
    const { sha256 } = named
    const input = owner === null ? undefined : await findInput(db, { owner, sha256 })
    if (input === undefined || isRows(input.media_type)) continue
    if (rowsOfSheet(extractions, named) === undefined) unread.push(pointerOf([list]))
  }
  return unread.map((pointer) => {
    const message = 'the file has faults: send this input to POST /api/agents/preflight to see them'
    return { kind: 'file_unreadable', field: pointer, message, pointer, row: null, value: null }
  })
}

/** The bytes of an input as canonical JSON, with all uploads that it names, lists and documents. */
export async function inputBytes(
  db: Tx,
  owner: string | null,
  rail: Pick<Rail, 'rows' | 'documents'>,
  input: unknown,
): Promise<number> {
  const digests = uploadDigestsOf(rail, input)
  const uploaded = owner === null || digests.length === 0 ? 0 : await countBytes(db, owner, digests)
  return Buffer.byteLength(canonicalJson(input)) + uploaded
}

/** The types of uploads whose bytes are rows. */
export const formats: Record<(typeof rowTypes)[number], RowSource['format']> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'jsonl',
  'text/tab-separated-values': 'csv',
  'application/json': 'csv',
  'application/xml': 'csv',
  'text/xml': 'csv',
  'text/plain': 'csv',
}
export const isRows = (type: UploadType): type is keyof typeof formats => type in formats

/** The rows of the lists that are uploads, read from their bytes or from their sheets; throws 409 `not_ready` while one is not there. */
export async function openUploads(
  db: Tx,
  owner: string | null,
  { uploads, extractions }: Pick<RunInput, 'uploads' | 'extractions'>,
): Promise<Record<string, RowSource & { bytes: number }>> {
  const sources: Record<string, RowSource & { bytes: number }> = {}
  for (const [list, named] of Object.entries(uploads)) {
    const { sha256 } = named
    const sheet = rowsOfSheet(extractions, named)
    const rows = csvOf(sheet)
    if (rows !== undefined) {
      sources[list] = { ...rows, bytes: Buffer.byteLength(sheet?.text ?? '') }
      continue
    }
    const input = owner === null ? undefined : await readInput(db, { owner, sha256 })
    if (input === undefined)
      throw refuse('not_ready', {
        detail: `the upload ${sha256} is not there`,
        next_action: 'Upload it again.',
      })
    const { bytes, mediaType, stream } = input
    if (!isRows(mediaType)) throw new Error(`the upload ${sha256} was not read before its run`)
    sources[list] = { format: formats[mediaType], stream, bytes }
  }
  return sources
}
