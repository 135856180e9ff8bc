import type { Kysely } from 'kysely'
import type { z } from 'zod'
import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { submissionIdOf } from '#domain/resolver/directory.ts'
import { type CallbackHosts, checkCallbackUrl } from '../../../activities/callbacks/hosts.ts'
import type { DirectorySetting } from '../../../activities/config/directory-settings.ts'
import { claimGrant, lockCall } from '../../../activities/store/calls/calls.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import {
  findSubmission,
  insertSubmission,
  listSubmissions,
  type SubmissionRow,
  submitPrepared,
} from '../../../activities/store/resolver/directory-submissions.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { DirectoryDocument } from '../../shapes/directory-document.ts'

type Document = z.output<typeof DirectoryDocument>
export type DirectoryDeps = {
  db: Kysely<Database>
  directories: readonly DirectorySetting[]
  hosts: CallbackHosts
  document: () => Document
  /** Starts the workflow of a stored submission, now or by the next sweep. */
  notify: (submissionId: string) => Promise<void>
}
type Asked = { directory: string; dryRun: boolean; operatorId: string }

/** Submits the document of this service to the directories of the configuration. */
export class DirectoryService {
  private readonly deps: DirectoryDeps

  constructor(deps: DirectoryDeps) {
    this.deps = deps
  }

  /** The configured directories, and the newest submissions or the one that is asked for; throws 404 for an unknown one. */
  async read(submissionId: string | undefined) {
    const { db, directories } = this.deps
    const rows =
      submissionId === undefined ? await listSubmissions(db) : [await this.#require(submissionId)]
    return {
      directories: directories.map(({ name, url }) => ({
        directory: name,
        configured: url !== null,
      })),
      submissions: rows.map(submissionView),
    }
  }

  /**
   * Prepares the current document and, where the directory has an address and it is no dry run, has it sent. A repeat of the call is
   * about the document of its first time. Throws 404 for an unknown directory and 422 `callback_refused` for an address that may not be
   * requested.
   */
  async submit({ directory, dryRun, operatorId }: Asked, callId: string) {
    const { db, notify, document } = this.deps
    const url = this.#addressOf(directory)
    const text = canonicalJson(document())
    const document_sha256 = sha256Hex(text)
    const row = await transaction(db, async (tx) => {
      const call = await lockCall(tx, callId)
      const repeated = call?.grant_state === 'used' ? call.subject : null
      const submission_id = repeated ?? submissionIdOf(directory, document_sha256)
      await claimGrant(tx, callId, submission_id)
      if (repeated === null) {
        const prepared = { submission_id, directory, document: text, document_sha256 }
        await insertSubmission(tx, { ...prepared, prepared_by: operatorId })
        if (url !== null && !dryRun) await submitPrepared(tx, submission_id, url)
      }
      return findSubmission(tx, submission_id)
    })
    if (row === undefined) throw new Error('a stored submission is not there')
    if (row.state === 'submitted') await notify(row.submission_id)
    return {
      submission: submissionView(row),
      document: JSON.parse(row.document) as Document,
      document_sha256: row.document_sha256,
    }
  }

  async #require(submissionId: string): Promise<SubmissionRow> {
    const row = await findSubmission(this.deps.db, submissionId)
    if (row !== undefined) return row
    throw refuse('not_found', {
      detail: 'no such submission',
      next_action: 'Read the submissions without submission_id.',
    })
  }

  #addressOf(directory: string): string | null {
    const { directories, hosts } = this.deps
    const known = directories.find(({ name }) => name === directory)
    if (known === undefined)
      throw refuse('not_found', {
        detail: 'no such directory is configured',
        next_action: 'Take the name of a directory from GET /api/directory-submission-execution.',
      })
    if (known.url === null) return null
    const { ok, detail } = checkCallbackUrl(hosts, known.url, false)
    if (ok) return known.url
    throw refuse('callback_refused', {
      detail,
      next_action: 'Configure a public HTTPS URL for this directory.',
    })
  }
}

const submissionView = (
  row: Pick<
    SubmissionRow,
    | 'submission_id'
    | 'directory'
    | 'state'
    | 'document_sha256'
    | 'attempts'
    | 'last_failure'
    | 'changed_at'
  >,
) => ({
  submission_id: row.submission_id,
  directory: row.directory,
  state: row.state,
  document_sha256: row.document_sha256,
  attempts: row.attempts,
  last_failure: row.last_failure,
  at: row.changed_at.toISOString(),
})
