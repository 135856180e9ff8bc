import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { runUsages } from '#domain/core/usage.ts'
import { proofKinds } from '#domain/trust/inbox.ts'
import { Address, Digest, freeText, Time, text } from '../../fields.ts'

/** 1 to 96 of letters, digits, `_` and `-`: the key or name of a trust operation. */
export const ShortKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,96}$/)
  .meta({ examples: ['handoff-2026-0117'] })

export const RunUsage = z.enum(runUsages)

/** An address that is not all zeros. */
export const PaidAddress = Address.refine((address) => !/^0x0{40}$/.test(address), {
  message: 'must not be the zero address',
}).meta({ not: { pattern: '^0x0{40}$' } })

/** A list without equal members. */
export function uniqueList<Item extends z.ZodType>(item: Item, most: number) {
  return z
    .array(item)
    .max(most)
    .refine((items) => new Set(items.map((each) => JSON.stringify(each))).size === items.length, {
      message: 'must not hold the same member twice',
    })
    .meta({ uniqueItems: true })
}

const compactJws = z
  .string()
  .regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/)
  .max(limits.artifactCharsMax)

/** A signed artifact of up to 24000 characters. Text that does not have its form is screened like any free text. */
export const Artifact = z
  .union([compactJws, freeText(limits.artifactCharsMax, 1)])
  .meta({ minLength: 1, maxLength: limits.artifactCharsMax })

const label = freeText(160, 1)
const kept = (kind: 'receipt_passport' | 'handoff_pack') =>
  z.strictObject({ kind: z.literal(kind), content: Artifact, label })

export const ProofInput = z.discriminatedUnion('kind', [
  kept('receipt_passport'),
  kept('handoff_pack'),
  z.strictObject({
    kind: z.literal('evidence'),
    content: freeText(limits.artifactCharsMax, 1),
    label,
  }),
])

const proofFacts = {
  proof_id: Digest,
  kind: z.enum(proofKinds),
  label: z.string(),
  bytes: z.int(),
  stored_at: Time,
}
export const ListedProof = z.strictObject(proofFacts)
export const StoredProof = z.strictObject({
  kind: z.enum(proofKinds),
  content: text(1, limits.artifactCharsMax),
  label: z.string(),
})
export const Used = z.strictObject({ records: z.int(), bytes: z.int() })

const standing = z.enum(['published', 'active', 'retired', 'revoked'])

/** What a verification of a signed artifact says about its key. */
export const ArtifactKey = z.strictObject({
  kid: z.string(),
  standing_at_issue: standing,
  standing_now: standing,
})
export const ArtifactCheck = z.strictObject({
  check: z.string(),
  ok: z.boolean(),
  detail: z.string(),
})
