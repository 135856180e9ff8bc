import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { AgentId, PublicKey } from '../agents/shapes.ts'
import { RingName, ServiceKeyRotation } from '../keys/shapes.ts'
import { Receipt } from '../operators/receipt.ts'
import { Ed25519Signature, KeyVersion } from './shapes.ts'

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
export const Rotations = z.union([ofAgent, ofService])

/** What is rotated: an agent’s signing key with both signatures, its access key, or rings of the service. */
export const RotationOrder = z
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
