import { refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import type { Rail, RailKey } from '#domain/rails/rail.ts'
import { uploadsOf } from '#domain/rails/uploads.ts'
import type { Tx } from '../store/postgres/db.ts'
import { findDocument, type TaskRow } from '../store/tasks/tasks.ts'
import type { RowSource } from './rows.ts'
import { type InputStream, readInput } from './stored-input.ts'

/** The input of a run: the stored document, and the uploaded lists that it names. */
export type RunInput = {
  readonly rail: Rail
  readonly value: unknown
  /** The digest of each upload, by the name of its list. */
  readonly uploads: Readonly<Record<string, string>>
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
  return { rail, value, uploads: uploadsOf(rail, value) }
}

const formats: Record<InputStream['mediaType'], RowSource['format']> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'jsonl',
}

/** The bytes of the lists that are uploads; throws 409 `not_ready` while one is not there. */
export async function openUploads(
  db: Tx,
  owner: string | null,
  uploads: RunInput['uploads'],
): Promise<Record<string, RowSource & { bytes: number }>> {
  const sources: Record<string, RowSource & { bytes: number }> = {}
  for (const [list, sha256] of Object.entries(uploads)) {
    const input = owner === null ? undefined : await readInput(db, { owner, sha256 })
    if (input === undefined)
      throw refuse('not_ready', {
        detail: `the upload ${sha256} is not there`,
        next_action: 'Upload it again.',
      })
    sources[list] = {
      format: formats[input.mediaType],
      stream: input.stream,
      bytes: input.bytes,
    }
  }
  return sources
}
