import type { Logger } from 'pino'
import { submissionOutcome } from '#domain/resolver/directory.ts'
import type { DirectorySteps } from '../../workflows/directories/activities.ts'
import type { SendOutgoing } from '../http/outgoing.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import {
  beginSubmissionAttempt,
  endSubmissionAttempt,
  findSubmission,
  type SubmissionAttempt,
} from '../store/resolver/directory-submissions.ts'

export type DirectoryDeps = {
  readonly db: Tx
  readonly log: Logger
  readonly send: SendOutgoing
}

/** Submits documents to directories: each attempt is stored before it is sent, and sends the stored document under the same key. */
export function createDirectorySteps(deps: DirectoryDeps): DirectorySteps {
  const { db } = deps
  return {
    submitToDirectory: async (submissionId) => {
      const attempt = await transaction(db, (tx) => beginSubmissionAttempt(tx, submissionId))
      if (attempt !== undefined) {
        const end = await post(deps, attempt)
        await transaction(db, (tx) => endSubmissionAttempt(tx, attempt, end))
      }
      const row = await findSubmission(db, submissionId)
      if (row === undefined) return null
      const { directory, state, attempts, wait_ms: waitMs, last_failure: lastFailure } = row
      return { submissionId, directory, state, attempts, waitMs, lastFailure }
    },
  }
}

async function post({ log, send }: DirectoryDeps, sent: SubmissionAttempt) {
  const { submission_id: submissionId, directory, url, document, attempt } = sent
  const answer = await send({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': submissionId },
    body: document,
  })
  if (!answer.ok)
    log.info(
      { submissionId, attempt, directory, reason: answer.reason, detail: answer.detail },
      'no answer of a directory',
    )
  const outcome = submissionOutcome(answer.status)
  if (outcome === 'accepted') return { outcome, failure: null }
  return { outcome, failure: answer.ok ? `status_${answer.status}` : answer.reason }
}
