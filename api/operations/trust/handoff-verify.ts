import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { PackClaims } from '#domain/trust/handoff-pack.ts'
import { operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { VerificationPacket } from '../receipts/verify-receipt.ts'
import { Artifact, ArtifactCheck, ArtifactKey } from './shapes.ts'

/** POST /api/agent-to-agent-handoff-pack, mode `verify`: a bad pack is a 200 that says why. */
export const handoffVerify = operation({
  id: 'handoff-verify',
  summary:
    'Verify a handoff pack: whether it is valid, expired and addressed to you, and what it permits.',
  http: { method: 'POST', path: '/api/agent-to-agent-handoff-pack', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  limits: { bodyBytes: limits.trustBodyBytesMax },
  errors: ['forbidden_material'],
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('verify'), handoff_pack: Artifact }),
  output: z
    .strictObject({
      valid: z.boolean().meta({ description: 'Signed by this service and not expired.' }),
      reasons: z.array(z.string()).meta({ description: 'Why it is not valid, as codes.' }),
      expired: z.boolean().nullable(),
      recipient_matches: z.boolean().nullable().meta({
        description: 'Whether the wallet of this call is the recipient.',
      }),
      permitted: z
        .strictObject({
          allowed_actions: z.array(z.string()),
          resources: z.array(z.string()),
        })
        .meta({ description: 'What the wallet of this call may do by the pack now.' }),
      checks: z.array(ArtifactCheck),
      pack: PackClaims.nullable().meta({ description: 'Only claims that this service signed.' }),
      key: ArtifactKey.nullable(),
      verification_packet: VerificationPacket.nullable(),
    })
    .meta({ id: 'VerifiedHandoffPack' }),
  handle: async ({ handoff_pack }, context) => ({
    body: await context.handoffs.verify(callingWallet(context), handoff_pack),
  }),
})
