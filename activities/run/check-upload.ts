import { DomainError } from '#domain/core/errors.ts'
import type { UploadOutcome } from '#domain/rails/input-faults.ts'
import type {
  UploadCheckSnapshot,
  UploadCheckSteps,
} from '../../workflows/upload-check/activities.ts'
import {
  beginCheckAttempt,
  endUploadCheck,
  findUploadCheck,
  takeBackCheckAttempt,
  type UploadCheckRow,
} from '../store/agents/upload-checks.ts'
import type { Tx } from '../store/postgres/db.ts'
import { whileAlive } from './heartbeat.ts'
import { openUploads } from './input.ts'
import { ChildDied, type RailPool } from './isolation/rail-pool.ts'

type CheckDeps = { db: Tx; pool: Pick<RailPool, 'run'> }

/** The step that reads an upload in a process of the pool, before a run on it is paid for. */
export function createUploadCheckSteps(deps: CheckDeps): UploadCheckSteps {
  const { db } = deps
  return {
    checkUpload: async (checkId) => {
      const check = await findUploadCheck(db, checkId)
      if (check === undefined) return null
      if (check.outcome !== null) return snapshotOf(check, check.outcome)
      const outcome = await whileAlive(({ signal }) => readUpload(deps, check, signal))
      await endUploadCheck(db, checkId, outcome)
      return snapshotOf(check, outcome)
    },
  }
}

async function readUpload(
  { db, pool }: CheckDeps,
  { check_id, owner, sha256, rail, list, columns }: UploadCheckRow,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  if (!(await beginCheckAttempt(db, check_id)))
    return { refused: 'it was read three times and never to its end' }
  try {
    const { [list]: source } = await openUploads(db, owner, { [list]: sha256 })
    if (source === undefined) throw new Error(`the upload of ${list} was not opened`)
    const lists = { [list]: source.format }
    const job = { kind: 'check', rail, list, columns, lists } as const
    return (await pool.run(job, { [list]: source.stream }, signal)) as UploadOutcome
  } catch (error) {
    if (error instanceof DomainError && error.refusal.code === 'input_too_complex')
      return { refused: error.refusal.detail }
    if (!(error instanceof ChildDied))
      await takeBackCheckAttempt(db, check_id).catch(() => undefined)
    throw error
  }
}

/** The outcome as the workflow knows it. */
const snapshotOf = ({ rail, list }: UploadCheckRow, outcome: UploadOutcome): UploadCheckSnapshot =>
  'refused' in outcome
    ? { rail, list, rows: null, faults: null, refused: outcome.refused }
    : { rail, list, rows: outcome.rows, faults: outcome.faults.total, refused: null }
