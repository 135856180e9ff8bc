import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { uploadTypes } from '#domain/rails/input/documents.ts'
import { callerIn, sentStream } from '../caller.ts'
import { Digest, Time } from '../fields.ts'
import { operation } from '../operation.ts'

const inputMediaTypes = uploadTypes

/** A file that an agent uploaded for its runs. */
const StoredInput = z
  .strictObject({
    sha256: Digest,
    byte_length: z.int(),
    media_type: z.enum(inputMediaTypes),
    stored_at: Time,
    kept_until: Time.nullable().meta({
      description: 'When it may be removed; null while a task uses it.',
    }),
  })
  .meta({ id: 'StoredInput' })

/** GET /api/agent-inputs/{sha256}: whether an upload is there, and how long it is kept; never its bytes. */
const inputRead = operation({
  id: 'input-read',
  summary: 'Read what is known of an uploaded file: its length, its type, and how long it is kept.',
  http: { method: 'GET', path: '/api/agent-inputs/{sha256}', host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:read'] },
  errors: ['not_found'],
  input: z.strictObject({ sha256: Digest }),
  output: StoredInput,
  handle: async ({ sha256 }, context) => ({
    body: await context.inputs.read({ owner: callerIn(context).requiredAgentId, sha256 }),
  }),
})

/**
 * PUT /api/agent-inputs/{sha256}: a file for runs whose input is too long for a body; taken as it comes, kept by its digest. The
 * content type of a later PUT replaces the one before.
 */
const inputUpload = operation({
  id: 'input-upload',
  summary:
    'Upload a file under its SHA-256: rows up to 256 MB as CSV, JSON Lines, JSON, XML or text; XLSX, PDF, DOCX or an image up to 32 MB.',
  http: { method: 'PUT', path: '/api/agent-inputs/{sha256}', host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:write'] },
  stream: { mediaTypes: inputMediaTypes, bytesMax: limits.inputBytesMax },
  status: [201, 200],
  errors: ['evidence_mismatch', 'control_denied', 'forbidden_material', 'wrong_state'],
  idempotency: { kind: 'effect' },
  input: z.strictObject({ sha256: Digest }),
  output: StoredInput,
  handle: async ({ sha256 }, context) => {
    const uploader = {
      owner: callerIn(context).requiredAgentId,
      sandbox: callerIn(context).isSandbox,
    }
    const { fresh, input } = await context.inputs.store(uploader, sha256, sentStream(context))
    return { status: fresh ? 201 : 200, body: input }
  },
})

/** DELETE /api/agent-inputs/{sha256}: takes an upload away with what was read of it; a repeat finds it gone and answers the same. */
const inputDelete = operation({
  id: 'input-delete',
  summary: 'Delete an uploaded file that no open task uses.',
  http: { method: 'DELETE', path: '/api/agent-inputs/{sha256}', host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:write'] },
  destructive: true,
  errors: ['wrong_state'],
  idempotency: { kind: 'effect' },
  input: z.strictObject({ sha256: Digest }),
  output: z.strictObject({ sha256: Digest, deleted: z.literal(true) }).meta({ id: 'DeletedInput' }),
  handle: async ({ sha256 }, context) => ({
    body: await context.inputs.delete({ owner: callerIn(context).requiredAgentId, sha256 }),
  }),
})

/** Files that are uploaded before a run. */
export const inputs = [inputUpload, inputRead, inputDelete] as const
