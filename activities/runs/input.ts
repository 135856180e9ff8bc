import { refuse } from '../../workflows/domain/errors.ts'
import { railOf } from '../../workflows/domain/rails/index.ts'
import type { Rail, RailKey, Work } from '../../workflows/domain/rails/rail.ts'
import { uploadsOf } from '../../workflows/domain/rails/uploads.ts'
import { type InputStream, readInput } from '../inputs/stored-input.ts'
import type { RowSource } from '../rails/rows.ts'
import { type SeeRow, workOnUploads } from '../rails/work-on-rows.ts'
import type { Tx } from '../store/db.ts'
import { findDocument, type TaskRow } from '../store/tasks.ts'

/** What a run works on: the stored document, and the lists that it names as uploads, which are read as streams. */
export type RunInput = {
  readonly rail: Rail
  readonly value: unknown
  /** By list, the digest of the upload. */
  readonly uploads: Readonly<Record<string, string>>
  /** Does the work; `see` is told of every row of an uploaded list. Throws `input_rejected` for a row that does not fit. */
  work(see?: SeeRow): Promise<Work<unknown>>
}

/** Throws 409 `not_ready` while the input, or what it names, is not there. */
export async function readRunInput(db: Tx, task: TaskRow): Promise<RunInput> {
  const { task_id, agent_id, input_sha256 } = task
  const rail = railOf(task.rail as RailKey)
  const value = input_sha256 === null ? undefined : await findDocument(db, task_id, input_sha256)
  if (value === undefined) throw refuse('not_ready', 'the input of the run is not there', 'Send the input.')
  const uploads = uploadsOf(rail, value)
  const work = async (see?: SeeRow) => {
    if (Object.keys(uploads).length === 0) return rail.work(rail.input.parse(value))
    return workOnUploads(rail, value, await openUploads(db, agent_id, uploads), see)
  }
  return { rail, value, uploads, work }
}

const formats: Record<InputStream['mediaType'], RowSource['format']> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'jsonl',
}

async function openUploads(db: Tx, owner: string | null, uploads: RunInput['uploads']) {
  const sources: Record<string, RowSource> = {}
  for (const [list, sha256] of Object.entries(uploads)) {
    const input = owner === null ? undefined : await readInput(db, { owner, sha256 })
    if (input === undefined) throw refuse('not_ready', `the upload ${sha256} is not there`, 'Upload it again.')
    sources[list] = { format: formats[input.mediaType], stream: input.stream }
  }
  return sources
}
