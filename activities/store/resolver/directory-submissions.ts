import { type Selectable, sql } from 'kysely'
import { callbackAttemptsMax, callbackDelayMs } from '#domain/callbacks/callback.ts'
import type { SubmissionOutcome } from '#domain/resolver/directory.ts'
import type { Tx } from '../postgres/db.ts'
import { insertOnce, type NewRow, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type SubmissionRow = Selectable<Database['directory_submissions']>
/** `wait_ms`: time until the next attempt is due by the clock of Postgres; 0 if it is due, and where none will be. */
export type SubmissionStanding = SubmissionRow & { wait_ms: number }

/** An attempt has ended by then, so that two are never under way. */
const ATTEMPT_MS = 10_000
const SHOWN = 100

/** Stores a prepared document; a repeat changes nothing. */
export const insertSubmission = (tx: Tx, submission: NewRow<'directory_submissions'>) =>
  insertOnce(tx, 'directory_submissions', submission)

const standing = (tx: Tx) =>
  tx
    .selectFrom('directory_submissions')
    .selectAll()
    .select(
      sql<number>`coalesce(greatest(0, ceil(extract(epoch from next_attempt_at - clock_timestamp()) * 1000)), 0)::float8`.as(
        'wait_ms',
      ),
    )

export function findSubmission(
  tx: Tx,
  submissionId: string,
): Promise<SubmissionStanding | undefined> {
  return standing(tx).where('submission_id', '=', submissionId).executeTakeFirst()
}

/** The newest 100 submissions, without their documents. */
export function listSubmissions(tx: Tx) {
  return tx
    .selectFrom('directory_submissions')
    .select([
      'submission_id',
      'directory',
      'state',
      'document_sha256',
      'attempts',
      'last_failure',
      'changed_at',
    ])
    .orderBy('prepared_at', 'desc')
    .orderBy('submission_id')
    .limit(SHOWN)
    .execute()
}

/** Moves a prepared submission to `submitted`, for good to this address; every other one stays as it is. */
export async function submitPrepared(tx: Tx, submissionId: string, url: string): Promise<void> {
  await tx
    .updateTable('directory_submissions')
    .set({
      state: 'submitted',
      url,
      next_attempt_at: now,
      changed_at: now,
    })
    .where('submission_id', '=', submissionId)
    .where('state', '=', 'prepared')
    .execute()
}

/** An attempt to send a stored document. */
export type SubmissionAttempt = {
  submission_id: string
  directory: string
  url: string
  document: string
  attempt: number
}

/**
 * Stores that an attempt begins, before its request is sent. Undefined where none is due, and where the last one ended without an
 * outcome: that submission has failed.
 */
export async function beginSubmissionAttempt(
  tx: Tx,
  submissionId: string,
): Promise<SubmissionAttempt | undefined> {
  const row = await standing(tx)
    .where('submission_id', '=', submissionId)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined || row.url === null || row.state !== 'submitted' || row.wait_ms > 0)
    return undefined
  const { directory, url, document } = row
  if (row.attempts === callbackAttemptsMax) {
    await change(tx, submissionId, { state: 'failed', next_attempt_at: null })
    return undefined
  }
  const attempt = row.attempts + 1
  const waitMs = Math.max(ATTEMPT_MS, callbackDelayMs(submissionId, attempt))
  await change(tx, submissionId, {
    attempts: attempt,
    next_attempt_at: sql<Date>`clock_timestamp() + ${waitMs} * interval '1 millisecond'`,
    last_failure: 'no_outcome',
  })
  return { submission_id: submissionId, directory, url, document, attempt }
}

/** Stores what an attempt came to; a submission that has ended stays as it is. */
export async function endSubmissionAttempt(
  tx: Tx,
  { submission_id, attempt }: Pick<SubmissionAttempt, 'submission_id' | 'attempt'>,
  { outcome, failure }: { outcome: SubmissionOutcome; failure: string | null },
): Promise<void> {
  const state = outcome === 'unknown' && attempt === callbackAttemptsMax ? 'failed' : outcome
  if (state === 'unknown') return change(tx, submission_id, { last_failure: failure }, attempt)
  await change(tx, submission_id, { state, next_attempt_at: null, last_failure: failure })
}

type Change = Partial<{
  state: SubmissionRow['state']
  attempts: number
  next_attempt_at: ReturnType<typeof sql<Date>> | null
  last_failure: string | null
}>

/** Changes an open submission, with `attempt` only while that is its latest one. */
async function change(tx: Tx, submissionId: string, to: Change, attempt?: number): Promise<void> {
  const open = tx
    .updateTable('directory_submissions')
    .set({ ...to, changed_at: now })
    .where('submission_id', '=', submissionId)
    .where('state', '=', 'submitted')
  await (attempt === undefined ? open : open.where('attempts', '=', attempt)).execute()
}
