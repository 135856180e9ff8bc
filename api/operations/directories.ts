import { z } from 'zod'
import { submissionStates } from '#domain/resolver/directory.ts'
import { callerIn } from '../caller.ts'
import { Digest, IdempotencyKey, Time } from '../fields.ts'
import { operation } from '../operation.ts'
import { DirectoryDocument } from '../shapes/directory-document.ts'

const DIRECTORY_PATH = '/api/directory-submission-execution'

/** `ds_` and 64 lowercase hex. */
const SubmissionId = z.string().regex(/^ds_[0-9a-f]{64}$/)

const DirectoryName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
  .meta({ examples: ['registry.example'] })

const Submission = z
  .strictObject({
    submission_id: SubmissionId,
    directory: DirectoryName,
    state: z.enum(submissionStates).meta({
      description:
        'prepared: not sent; submitted: no answer yet that decides; accepted: 2xx; refused: 3xx or 4xx; failed: no attempt is left, and the directory may have taken it all the same.',
    }),
    document_sha256: Digest,
    attempts: z.int().min(0),
    last_failure: z.string().nullable().meta({
      description:
        'Why the last attempt was not accepted, such as timeout or status_503; no_outcome while it is under way.',
    }),
    at: Time.meta({ description: 'Of the last change.' }),
  })
  .meta({ id: 'DirectorySubmission' })

/** GET /api/directory-submission-execution. */
const directoryRead = operation({
  id: 'directory-read',
  summary: 'Read where this service is submitted to, and with what result.',
  http: { method: 'GET', path: DIRECTORY_PATH, host: 'base' },
  access: 'public',
  errors: ['not_found'],
  input: z.strictObject({
    submission_id: SubmissionId.optional().meta({
      description: 'The submission, as directory-submit answered it.',
    }),
  }),
  output: z
    .strictObject({
      directories: z.array(
        z.strictObject({
          directory: DirectoryName,
          configured: z.boolean().meta({ description: 'Whether it has an address to submit to.' }),
        }),
      ),
      submissions: z
        .array(Submission)
        .meta({ description: 'The newest 100, or the one that is asked for.' }),
    })
    .meta({ id: 'DirectorySubmissions' }),
  handle: async ({ submission_id }, context) => ({
    body: await context.directories.read(submission_id),
  }),
})

/** POST /api/directory-submission-execution: one submission for each directory and document. */
const directorySubmit = operation({
  id: 'directory-submit',
  summary:
    'Submit this service to a directory of the configuration, or with dry_run only prepare its document. Reuse the key when you repeat this call.',
  http: { method: 'POST', path: DIRECTORY_PATH, host: 'base' },
  tool: 'execute_directory_submission',
  access: 'operator',
  status: [202],
  errors: ['not_found', 'callback_refused'],
  input: z.strictObject({
    directory: DirectoryName.meta({ description: 'The name of a configured directory.' }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: 'Prepares the document and sends nothing.' }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      submission: Submission,
      document: DirectoryDocument,
      document_sha256: Digest.meta({ description: 'Of the RFC 8785 form of the document.' }),
    })
    .meta({ id: 'SubmittedToDirectory' }),
  handle: async ({ directory, dry_run }, context) => {
    const { operatorId } = callerIn(context).operator
    const asked = { directory, dryRun: dry_run, operatorId }
    return { body: await context.directories.submit(asked, context.callId) }
  },
})

/** Submissions of this service to directories of services. */
export const directories = [directoryRead, directorySubmit] as const
