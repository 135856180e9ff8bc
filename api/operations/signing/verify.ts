import { z } from 'zod'
import { text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { content, path } from './shapes.ts'

/** POST /api/signing-secret-rotation, mode `verify_signature_by_version`: an invalid one is a 200 that says why. */
export const signingVerify = operation({
  id: 'signing-verify',
  summary:
    'Verify a statement by the version of the key that signed it: the service’s, or an agent’s own.',
  http: { method: 'POST', path, host: 'base' },
  tool: 'verify_signature_by_version',
  access: 'public',
  errors: ['forbidden_material'],
  idempotency: { kind: 'read' },
  input: z
    .strictObject({
      mode: z.literal('verify_signature_by_version'),
      jws: text(1, 24_000),
      ...content,
      version: z.int().min(1).optional(),
    })
    .refine(
      ({ payload, payload_sha256 }) => payload === undefined || payload_sha256 === undefined,
      {
        message: 'give payload or payload_sha256, not both',
      },
    )
    .meta({ not: { required: ['payload', 'payload_sha256'] } }),
  output: z
    .strictObject({
      valid: z.boolean(),
      version: z.int().nullable(),
      key_id: z.string().nullable(),
      key_state_at_signing: z.enum(['pending', 'active', 'retired', 'revoked']).nullable(),
      reasons: z.array(z.string()).meta({ description: 'Why it is not valid.' }),
      claims: z
        .looseObject({})
        .nullable()
        .meta({ description: 'Who states what, and when; only of a valid one.' }),
    })
    .meta({ id: 'StatementVerification' }),
  handle: async ({ mode: _mode, ...input }, context) => ({
    body: await context.signing.verify(input),
  }),
})
