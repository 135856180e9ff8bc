import { utf8ToBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { canonicalJson, digestOf } from '../core/canonical-json.ts'
import { trustLimits } from '../core/limits.ts'
import { runUsages } from '../core/usage.ts'

/** `typ` of a handoff pack; the receipt ring signs it. */
export const HANDOFF_TYP = 'handoff+jwt'

export const handoffStatuses = ['pending', 'in_progress', 'blocked', 'completed'] as const
export type HandoffStatus = (typeof handoffStatuses)[number]

/** The statuses that may follow in the packs of one builder for one task; the same status may be repeated. */
const following: Readonly<Record<HandoffStatus, readonly HandoffStatus[]>> = {
  pending: ['pending', 'in_progress'],
  in_progress: ['in_progress', 'blocked', 'completed'],
  blocked: ['blocked', 'in_progress'],
  completed: [],
}
export const statusesAfter = (last: HandoffStatus): readonly HandoffStatus[] => following[last]

/** `hp_` and the digest of builder and key. */
export function packId(builder: string, idempotencyKey: string): string {
  const named = { type: 'service.handoff-pack.v1', builder, idempotency_key: idempotencyKey }
  return `hp_${digestOf(named)}`
}

/** Whether the canonical JSON of the input exceeds its limit. */
export const isTooLarge = (input: unknown): boolean =>
  utf8ToBytes(canonicalJson(input)).length > trustLimits.handoffInputBytes

const account = z.string().regex(/^eip155:8453:0x[0-9a-f]{40}$/)
const list = (item: z.ZodType<string>) => z.array(item).max(16)

/** The claims of a handoff pack. */
export const PackClaims = z.strictObject({
  iss: z.string(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string().regex(/^hp_[0-9a-f]{64}$/),
  sub: account,
  aud: account,
  kind: z.literal('handoff_pack'),
  usage: z.enum(runUsages),
  environment: z.string(),
  task: z.strictObject({ task_id: z.string(), objective: z.string(), context: z.string() }),
  permissions: z.strictObject({
    allowed_actions: list(z.string()),
    resources: list(z.string()),
    expires_at: z.int(),
    may_redelegate: z.literal(false),
  }),
  state: z.strictObject({
    status: z.enum(handoffStatuses),
    checkpoint: z.string(),
    evidence_sha256: list(z.string().regex(/^[0-9a-f]{64}$/)),
  }),
})
export type PackClaims = z.output<typeof PackClaims>
