import { z } from 'zod'
import { Digest, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { DirectoryDocument } from '../../registry/directory-document-shape.ts'
import { callingOperator } from '../agents/caller.ts'
import { DIRECTORY_PATH, DirectoryName, Submission } from './shapes.ts'

/** POST /api/directory-submission-execution: one submission for each directory and document. */
export const directorySubmit = operation({
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
    const { operatorId } = callingOperator(context)
    const asked = { directory, dryRun: dry_run, operatorId }
    return { body: await context.directories.submit(asked, context.callId) }
  },
})
