import { z } from 'zod'
import { Digest, freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { AuditEventId } from '../production/gate-shapes.ts'
import { content, path } from './shapes.ts'

const selectors = ['payload', 'payload_sha256'] as const

/** POST /api/signing-secret-rotation, mode `sign_with_active_signing_version`: who states it is in the signature, and so is when. */
export const signingSign = operation({
  id: 'signing-sign',
  summary: 'Have the service sign that you state this content; never usable as a receipt.',
  http: { method: 'POST', path, host: 'base' },
  tool: 'sign_with_active_signing_version',
  access: ['agent', 'operator'],
  needs: { scopes: ['signing:use'] },
  errors: ['forbidden_material'],
  // Each call signs as of its own time: a second signature of the same content takes nothing away.
  input: z
    .strictObject({
      mode: z.literal('sign_with_active_signing_version'),
      ...content,
      context: freeText(80, 1).optional(),
    })
    .refine((input) => selectors.filter((name) => input[name] !== undefined).length === 1, {
      message: `give exactly one of ${selectors.join(', ')}`,
    })
    .meta({ oneOf: selectors.map((name) => ({ required: [name] })) }),
  output: z
    .strictObject({
      version: z.int(),
      key_id: z.string(),
      jws: z
        .string()
        .meta({ description: 'Compact JWS of typ agent-statement+jws, which no receipt has.' }),
      payload_sha256: Digest,
      audit_event_id: AuditEventId,
    })
    .meta({ id: 'AgentStatement' }),
  handle: async ({ mode: _mode, ...input }, context) => {
    const { caller, callId } = context
    const credentialId = caller.kind === 'agent' ? caller.credential.credential_id : null
    const speaker = { id: agentIdOf(context) ?? caller.id, credentialId }
    return { body: await context.signing.sign(speaker, input, callId) }
  },
})
