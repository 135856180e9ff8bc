import { DomainError } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import type { Extraction } from '#domain/rails/input/documents.ts'
import { groupFaults, type UploadOutcome } from '#domain/rails/input/input-faults.ts'
import type { Rail } from '#domain/rails/rail.ts'
import type {
  UploadCheckSnapshot,
  UploadCheckSteps,
} from '../../workflows/upload-check/activities.ts'
import { readAgentTrust } from '../store/agents/agents.ts'
import { countingCompute } from '../store/calls/compute.ts'
import {
  beginCheckAttempt,
  DOCUMENT,
  endUploadCheck,
  findExtraction,
  findUploadCheck,
  takeBackCheckAttempt,
  type UploadCheckRow,
} from '../store/inputs/upload-checks.ts'
import type { Tx } from '../store/postgres/db.ts'
import { extractedIn, rowsIn } from './caged-answers.ts'
import type { Extracted, ReadAs } from './extract/extract.ts'
import { whileAlive } from './heartbeat.ts'
import { formats, isRows } from './input.ts'
import { FILE } from './isolation/job.ts'
import type { RunPools } from './isolation/pools.ts'
import { ChildDied, type RailPool } from './isolation/rail-pool.ts'
import { csvOf, type RowSource } from './rows.ts'
import { type InputStream, readInput } from './stored-input.ts'

type CheckDeps = { db: Tx; pools: RunPools }
type ReadDeps = { db: Tx; pool: Pick<RailPool, 'run'> }

/** The step that reads an upload in a process of the pool, before a run on it is paid for. */
export function createUploadCheckSteps({ db, pools }: CheckDeps): UploadCheckSteps {
  return {
    checkUpload: async (checkId) => {
      const check = await findUploadCheck(db, checkId)
      if (check === undefined) return null
      if (check.outcome !== null) return snapshotOf(check, check.outcome)
      const { trusted, network } = await readAgentTrust(db, check.owner)
      const { outcome, extraction } = await countingCompute(db, network, (spend) => {
        const lane = trusted ? pools.trusted : pools.strangers
        const pool = lane.queue(network ?? check.owner, spend)
        return whileAlive(({ signal }) => readUpload({ db, pool }, check, signal))
      })
      await endUploadCheck(db, checkId, outcome, extraction)
      return snapshotOf(check, outcome)
    },
  }
}

type Read = { outcome: UploadOutcome; extraction?: Extraction }

async function readUpload(
  deps: ReadDeps,
  check: UploadCheckRow,
  signal: AbortSignal,
): Promise<Read> {
  const { db } = deps
  if (!(await beginCheckAttempt(db, check.check_id)))
    return { outcome: { refused: 'it was read three times and never to its end' } }
  try {
    const file = await readInput(db, check)
    if (file === undefined) throw new Error(`the upload ${check.sha256} is not there`)
    if (isRows(file.mediaType) && check.list !== DOCUMENT) {
      const source = { format: formats[file.mediaType], stream: file.stream }
      return { outcome: await readRows(deps, check, source, signal) }
    }
    return await readFile(deps, check, file, signal)
  } catch (error) {
    if (error instanceof DomainError && error.refusal.code === 'input_too_complex')
      return { outcome: { refused: error.refusal.detail } }
    if (!(error instanceof ChildDied))
      await takeBackCheckAttempt(db, check.check_id).catch(() => undefined)
    throw error
  }
}

async function readRows(
  { pool }: ReadDeps,
  { rail, list, corrections }: UploadCheckRow,
  { format, stream }: RowSource,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  const job = { kind: 'check', rail, list, corrections, lists: { [list]: format } } as const
  return rowsIn(await pool.run(job, { [list]: stream }, signal))
}

/** Extracts what a file says, where no reading of it did so before, and then reads the rows of a sheet. */
async function readFile(
  deps: ReadDeps,
  check: UploadCheckRow,
  { mediaType, stream }: InputStream,
  signal: AbortSignal,
): Promise<Read> {
  const { db, pool } = deps
  const { rail, list, sheet } = check
  const as = readAs(railOf(rail), list, sheet)
  const known =
    as.kind === 'rows' ? await findExtraction(db, check, { rows: true, sheet }) : undefined
  const job = { kind: 'extract', mediaType, as } as const
  const read: Extracted =
    known === undefined
      ? extractedIn(await pool.run(job, { [FILE]: stream }, signal), { ...check, mediaType, as })
      : { extraction: known }
  if ('secret' in read) return { outcome: read }
  if ('faults' in read) return { outcome: { rows: 0, faults: read.faults } }
  const { extraction } = read
  const kept = known === undefined ? { extraction } : {}
  const rows = csvOf(extraction)
  if (as.kind === 'rows' && rows !== undefined)
    return { outcome: await readRows(deps, check, rows, signal), ...kept }
  const faults = groupFaults([])
  return { outcome: { rows: 0, chars: extraction.text?.length ?? 0, faults }, ...kept }
}

function readAs(
  { documents }: Pick<Rail, 'documents'>,
  list: string,
  sheet: string | null,
): ReadAs {
  if (list !== DOCUMENT) return { kind: 'rows', list, sheet }
  if (documents === undefined) throw new RangeError('the rail takes no documents')
  const { charsMax, images } = documents
  return { kind: 'document', charsMax, images }
}

/** The outcome as the workflow knows it. */
function snapshotOf({ rail, list }: UploadCheckRow, outcome: UploadOutcome): UploadCheckSnapshot {
  if ('rows' in outcome)
    return { rail, list, rows: outcome.rows, faults: outcome.faults.total, refused: null }
  const refused = 'secret' in outcome ? `it holds ${outcome.secret}` : outcome.refused
  return { rail, list, rows: null, faults: null, refused }
}
