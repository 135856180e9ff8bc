import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { handoffStatuses } from '#domain/trust/handoff-pack.ts'
import { Digest, ExpiresAt, freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { PaidAddress, RunUsage, ShortKey, uniqueList } from './shapes.ts'

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
    body: await context.handoffs.build(callingWallet(context), input, context.callId),
  }),
})
