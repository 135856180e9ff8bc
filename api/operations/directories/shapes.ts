import { z } from 'zod'
import { submissionStates } from '#domain/services/directory.ts'
import { Digest, Time } from '../../fields.ts'

export const DIRECTORY_PATH = '/api/directory-submission-execution'

/** `ds_` and 64 lowercase hex. */
export const SubmissionId = z.string().regex(/^ds_[0-9a-f]{64}$/)

export const DirectoryName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
  .meta({ examples: ['registry.example'] })

export const Submission = z
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
