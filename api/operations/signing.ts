import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { callerIn } from '../caller.ts'
import type { Context } from '../context.ts'
import { Digest, freeText, IdempotencyKey, text } from '../fields.ts'
import { answeredByService, operation } from '../operation.ts'
import { AgentId, PublicKey } from '../shapes/agents.ts'
import { RingName, ServiceKeyRotation } from '../shapes/keys.ts'
import { AuditEventId } from '../shapes/production.ts'
import { Receipt } from '../shapes/receipts.ts'
import { content, Ed25519Signature, KeyVersion, path } from '../shapes/signing.ts'

const NextKey = z.strictObject({
  public_key: PublicKey,
  signed_by_old: Ed25519Signature,
  signed_by_next: Ed25519Signature.meta({
    description:
      'Both signatures are over four lines joined with LF: service-agent-key-rotation-v1, agent-id: <id>, old-key-sha256: <digest>, next-key-sha256: <digest>; digests of the public JWKs {crv, kty, x} as canonical JSON.',
  }),
})

const targets = ['own_signing', 'own_access_key', 'service'] as const

const ofAgent = z
  .strictObject({
    version: KeyVersion,
    previous: KeyVersion,
    next_action: z.string(),
    receipt: Receipt,
  })
  .meta({ id: 'KeyRotation' })

const ofService = z
  .strictObject({
    rotations: z.array(ServiceKeyRotation),
    next_action: z.string(),
    receipt: Receipt.nullable().meta({
      description: 'Null while no key of the service could sign it.',
    }),
  })
  .meta({ id: 'ServiceKeyRotations' })

/** The rotation of an agent’s key, or those of the rings of the service. */
const Rotations = z.union([ofAgent, ofService])

/** What is rotated: an agent’s signing key with both signatures, its access key, or rings of the service. */
const RotationOrder = z
  .strictObject({
    mode: z.literal('rotate_signing_credential'),
    target: z.enum(targets),
    agent_id: AgentId.optional().meta({ description: 'Whose access key an operator rotates.' }),
    next_key: NextKey.optional().meta({ description: 'For own_signing.' }),
    ring: RingName.optional().meta({ description: 'For service; every ring unless given.' }),
    overlap_seconds: z.int().min(0).max(limits.credentialOverlapSecondsMax).default(86_400),
    revoke_old: z.boolean().default(false),
    reason: freeText(200, 1),
    idempotency_key: IdempotencyKey,
  })
  .refine(({ target, next_key }) => (target === 'own_signing') === (next_key !== undefined), {
    message: 'next_key belongs to own_signing',
    path: ['next_key'],
  })
  .refine(({ target, ring }) => target === 'service' || ring === undefined, {
    message: 'ring belongs to service',
    path: ['ring'],
  })
  .refine(({ target, agent_id }) => target !== 'service' || agent_id === undefined, {
    message: 'agent_id belongs to the keys of an agent',
    path: ['agent_id'],
  })
  .meta({
    oneOf: [
      {
        properties: { target: { const: 'own_signing' }, ring: { not: {} } },
        required: ['next_key'],
      },
      {
        properties: {
          target: { const: 'own_access_key' },
          next_key: { not: {} },
          ring: { not: {} },
        },
      },
      {
        properties: {
          target: { const: 'service' },
          next_key: { not: {} },
          agent_id: { not: {} },
        },
      },
    ],
  })

/**
 * POST /api/signing-secret-rotation, mode `rotate_signing_credential`. The next access key is not in the answer: it is claimed by
 * handshake, so that a thief of an access key never gets its successor. Target `service` starts a workflow for each ring; GET /api/operator/keys shows its state.
 */
const signingRotate = operation({
  id: 'signing-rotate',
  summary:
    'Rotate an agent’s signing key or access key, or as an operator the keys of the service, with an overlap or revoking the old one at once.',
  http: { method: 'POST', path, host: 'base' },
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
  input: RotationOrder,
  output: Rotations,
  handle: async (input, context) => {
    const {
      overlap_seconds: overlapSeconds,
      revoke_old: revokeOld,
      reason,
      next_key: nextKey,
    } = input
    if (input.target === 'service') {
      const order = { ring: input.ring, reason, overlapSeconds, revokeOld }
      await context.keys.rotate(rotatingService(context), order, context.callId)
      return answeredByService
    }
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
  const { operatorId, name } = callerIn(context).operator
  if (agent_id !== undefined && target === 'own_access_key')
    return { by: { operatorId, name }, agentId: agent_id }
  throw refuse('invalid_request', {
    detail: 'an operator rotates the access key of one agent',
    next_action: 'Send agent_id and own_access_key.',
  })
}

/** No agent rotates the keys of the service, whatever its scopes. */
function rotatingService(context: Context): { operatorId: string; name: string } {
  if (context.caller.kind === 'agent')
    throw refuse('not_owner', {
      detail: 'only an operator rotates the keys of the service',
      next_action: 'Rotate your own keys with own_signing or own_access_key.',
    })
  const { operatorId, name } = callerIn(context).operator
  return { operatorId, name }
}

const selectors = ['payload', 'payload_sha256'] as const

/** POST /api/signing-secret-rotation, mode `sign_with_active_signing_version`: who states it is in the signature, and so is when. */
const signingSign = operation({
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
    const speaker = { id: callerIn(context).agentId ?? caller.id, credentialId }
    return { body: await context.signing.sign(speaker, input, callId) }
  },
})

/** POST /api/signing-secret-rotation, mode `verify_signature_by_version`: an invalid one is a 200 that says why. */
const signingVerify = operation({
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

/** GET /api/signing-secret-rotation: whose signature is to be verified by which key, now and for what was signed before. */
const signingVersionsRead = operation({
  id: 'signing-versions-read',
  summary:
    'List the versions of an agent’s signing key, or of the key with which the service signs agents’ statements.',
  http: { method: 'GET', path, host: 'base' },
  tool: 'read_signing_versions',
  access: 'public',
  errors: ['not_found'],
  input: z.strictObject({
    agent_id: AgentId.optional().meta({ description: 'The service’s own unless given.' }),
  }),
  output: z
    .strictObject({
      owner: z.union([z.literal('service'), AgentId]),
      versions: z.array(KeyVersion).meta({ description: 'Newest first.' }),
    })
    .meta({ id: 'SigningVersions' }),
  handle: async ({ agent_id }, context) => ({
    body: await context.signing.versions(agent_id),
  }),
})

/** Keys of agents, their rotation, and what is stated under them. */
export const signing = [signingVersionsRead, signingRotate, signingSign, signingVerify] as const
