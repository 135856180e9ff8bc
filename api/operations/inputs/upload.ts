import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgent, isSandbox, sentStream } from '../agents/caller.ts'
import { inputMediaTypes, StoredInput } from './shapes.ts'

/** PUT /api/agent-inputs/{sha256}: a file for runs whose input is too long for a body; taken as it comes, kept by its digest. */
export const inputUpload = operation({
  id: 'input-upload',
  summary:
    'Upload a file under its SHA-256: rows up to 256 MB as CSV or JSON Lines; XLSX, PDF, DOCX, text or an image up to 32 MB.',
  http: { method: 'PUT', path: '/api/agent-inputs/{sha256}', host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:write'] },
  stream: { mediaTypes: inputMediaTypes, bytesMax: limits.inputBytesMax },
  status: [201, 200],
  errors: ['evidence_mismatch', 'control_denied', 'forbidden_material'],
  idempotency: { kind: 'effect' },
  input: z.strictObject({ sha256: Digest }),
  output: StoredInput,
  handle: async ({ sha256 }, context) => {
    const uploader = { owner: callingAgent(context), sandbox: isSandbox(context) }
    const { fresh, input } = await context.inputs.store(uploader, sha256, sentStream(context))
    return { status: fresh ? 201 : 200, body: input }
  },
})
