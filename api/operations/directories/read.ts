import { z } from 'zod'
import { operation } from '../../operation.ts'
import { DIRECTORY_PATH, DirectoryName, Submission, SubmissionId } from './shapes.ts'

/** GET /api/directory-submission-execution. */
export const directoryRead = operation({
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
