import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import type { Context } from '../../context.ts'
import { agentExamples } from '../../examples/agents.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { AgentId, PublicKey } from '../agents/shapes.ts'
import { Receipt } from '../operators/receipt.ts'
import { Ed25519Signature, KeyVersion, path } from './shapes.ts'

const NextKey = z.strictObject({
  public_key: PublicKey,
  signed_by_old: Ed25519Signature,
  signed_by_next: Ed25519Signature.meta({
    description:
      'Both of four lines joined with LF: service-agent-key-rotation-v1, agent-id: <id>, old-key-sha256: <digest>, next-key-sha256: <digest>; digests of the public JWKs {crv, kty, x} as canonical JSON.',
  }),
})

const targets = ['own_signing', 'own_access_key'] as const

const output = z
  .strictObject({
    version: KeyVersion,
    previous: KeyVersion,
    next_action: z.string(),
    receipt: Receipt,
  })
  .meta({ id: 'KeyRotation' })

/**
 * POST /api/signing-secret-rotation, mode `rotate_signing_credential`. The next access key is not in the answer: it is claimed by
 * handshake, so that a thief of an access key never gets its successor.
 */
export const signingRotate = operation({
  id: 'signing-rotate',
  summary:
    'Rotate an agent’s signing key, or its access key, with an overlap or revoking the old one at once.',
  http: { method: 'POST', path, host: 'base' },
  mode: 'rotate_signing_credential',
  tool: 'rotate_signing_credential',
  destructive: true,
  access: ['agent', 'operator'],
  needs: { scopes: ['signing:use'] },
  status: [201],
  errors: [
    'not_found',
    'not_owner',
    'proof_invalid',
    'trust_required',
    'key_already_registered',
    'rotation_in_progress',
    'forbidden_material',
  ],
  idempotency: { kind: 'body' },
  input: z
    .strictObject({
      mode: z.literal('rotate_signing_credential'),
      target: z.enum(targets),
      agent_id: AgentId.optional().meta({ description: 'Whose access key an operator rotates.' }),
      next_key: NextKey.optional().meta({ description: 'For own_signing.' }),
      overlap_seconds: z.int().min(0).max(limits.credentialOverlapSecondsMax).default(86_400),
      revoke_old: z.boolean().default(false),
      reason: freeText(200, 1),
      idempotency_key: IdempotencyKey,
    })
    .refine(({ target, next_key }) => (target === 'own_signing') === (next_key !== undefined), {
      message: 'next_key belongs to own_signing',
      path: ['next_key'],
    })
    .meta({
      oneOf: [
        { properties: { target: { const: 'own_signing' } }, required: ['next_key'] },
        { properties: { target: { const: 'own_access_key' }, next_key: { not: {} } } },
      ],
    }),
  output,
  example: agentExamples['signing-rotate'],
  handle: async (input, context) => {
    const {
      overlap_seconds: overlapSeconds,
      revoke_old: revokeOld,
      reason,
      next_key: nextKey,
    } = input
    const { by, agentId } = rotating(input, context)
    const rotation = { by, agentId, overlapSeconds, revokeOld, reason, nextKey }
    await context.signing.rotate(rotation, context.callId)
    return answeredByService
  },
})

/** An agent rotates its own keys. An operator names the agent, and rotates access keys alone: it has no key of the agent to sign with. */
function rotating(
  { agent_id, target }: { agent_id?: string | undefined; target: string },
  context: Context,
) {
  const { caller } = context
  if (caller.kind === 'agent') {
    if (agent_id !== undefined && agent_id !== caller.agentId)
      throw refuse('not_owner', {
        detail: 'an agent rotates its own keys',
        next_action: 'Leave agent_id out.',
      })
    return { by: { agentId: caller.agentId }, agentId: caller.agentId }
  }
  const { operatorId, name } = callingOperator(context)
  if (agent_id !== undefined && target === 'own_access_key')
    return { by: { operatorId, name }, agentId: agent_id }
  throw refuse('invalid_request', {
    detail: 'an operator rotates the access key of one agent',
    next_action: 'Send agent_id and own_access_key.',
  })
}
