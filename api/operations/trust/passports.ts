import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { handoffStatuses, PackClaims } from '#domain/trust/handoff-pack.ts'
import { PassportClaims, WorkItem } from '#domain/trust/passport.ts'
import { callerIn } from '../../caller.ts'
import { Digest, ExpiresAt, freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { VerificationPacket } from '../receipts.ts'
import {
  Artifact,
  ArtifactCheck,
  ArtifactKey,
  PaidAddress,
  RunUsage,
  ShortKey,
  uniqueList,
} from './shapes.ts'

/** POST /api/agent-to-agent-handoff-pack, mode `build`: at most 12000 bytes of canonical JSON. */
export const handoffBuild = operation({
  id: 'handoff-build',
  summary:
    'Build a signed pack that hands a task over to another wallet, with what it may do. Reuse the key when you repeat this call.',
  http: { method: 'POST', path: '/api/agent-to-agent-handoff-pack', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  status: [201],
  errors: ['expired', 'wrong_state', 'already_exists', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('build'),
    idempotency_key: ShortKey,
    recipient_wallet: PaidAddress,
    task: z.strictObject({
      task_id: ShortKey,
      objective: freeText(2000, 1),
      context: freeText(4000, 1),
    }),
    permissions: z.strictObject({
      allowed_actions: uniqueList(freeText(160, 1), 16),
      resources: uniqueList(freeText(512, 1), 16),
      expires_at: ExpiresAt,
      may_redelegate: z.literal(false),
    }),
    state: z.strictObject({
      status: z.enum(handoffStatuses),
      checkpoint: freeText(4000, 1),
      evidence_sha256: uniqueList(Digest, 16),
    }),
    usage: RunUsage,
  }),
  output: z
    .strictObject({
      handoff_pack: z.string(),
      pack_id: z.string(),
      pack_sha256: Digest,
      expires_at: ExpiresAt,
      receipt: Receipt,
    })
    .meta({ id: 'BuiltHandoffPack' }),
  handle: async (input, context) => ({
    body: await context.handoffs.build(callerIn(context).wallet, input, context.callId),
  }),
})

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
    body: await context.handoffs.verify(callerIn(context).wallet, handoff_pack),
  }),
})

/** POST /api/receipt-passport, mode `issue`: one passport for each wallet and work. */
export const passportIssue = operation({
  id: 'passport-issue',
  summary:
    'Issue a signed passport for one free call of yours that succeeded, or one payment of yours that settled. Reuse the key when you repeat this call.',
  http: { method: 'POST', path: '/api/receipt-passport', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  limits: { bodyBytes: limits.trustBodyBytesMax },
  status: [201],
  errors: ['work_not_found', 'work_already_attested'],
  input: z.strictObject({
    mode: z.literal('issue'),
    idempotency_key: ShortKey,
    work: WorkItem,
    usage: RunUsage,
  }),
  output: z
    .strictObject({
      passport: z.string(),
      passport_id: z.string(),
      claims: PassportClaims,
      receipt: Receipt,
    })
    .meta({ id: 'IssuedPassport' }),
  handle: async ({ work, usage }, context) => {
    const asked = { wallet: callerIn(context).wallet, work, usage, callId: context.callId }
    return { body: await context.passports.issue(asked) }
  },
})

/** POST /api/receipt-passport, mode `verify`: a bad passport is a 200 that says why. */
export const passportVerify = operation({
  id: 'passport-verify',
  summary: 'Verify a receipt passport of any wallet; an answer that it is not valid says why.',
  http: { method: 'POST', path: '/api/receipt-passport', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  limits: { bodyBytes: limits.trustBodyBytesMax },
  errors: ['forbidden_material'],
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('verify'), passport: Artifact }),
  output: z
    .strictObject({
      valid: z.boolean(),
      reasons: z.array(z.string()).meta({ description: 'Why it is not valid, as codes.' }),
      checks: z.array(ArtifactCheck),
      claims: PassportClaims.nullable().meta({
        description: 'Only claims that this service signed.',
      }),
      key: ArtifactKey.nullable(),
      verification_packet: VerificationPacket.nullable(),
    })
    .meta({ id: 'VerifiedPassport' }),
  handle: async ({ passport }, context) => ({
    body: await context.passports.verify(passport),
  }),
})
