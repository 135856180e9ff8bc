import { z } from 'zod'
import { Cited, Digest, Moment, text, together, tooLongTogether } from '../fields.ts'
import { profileKeys } from './profiles.ts'

// RFC 4648 §3.5: padded, and no bits left over that a decoder would drop.
const canonicalBase64 =
  /^(?:[0-9a-zA-Z+/]{4})*(?:[0-9a-zA-Z+/][AQgw]==|[0-9a-zA-Z+/]{2}[AEIMQUYcgkosw048]=)?$/

const Item = z
  .strictObject({
    name: text(1, 256),
    section: text(1, 128),
    content: text(0, 1_048_576).optional(),
    content_base64: z.string().regex(canonicalBase64).max(1_400_000).optional(),
    sha256: Digest.optional(),
    bytes: z.int().min(0).optional(),
    issued_at: Moment.optional(),
    expires_at: Moment.optional(),
    source: text(1, 2048).optional(),
  })
  .refine(
    ({ content, content_base64, sha256 }) =>
      content === undefined
        ? content_base64 !== undefined || sha256 !== undefined
        : content_base64 === undefined,
    'an item has content or content_base64 (not both), or else sha256',
  )
  .meta({
    anyOf: [{ required: ['content'] }, { required: ['content_base64'] }, { required: ['sha256'] }],
    not: { required: ['content', 'content_base64'] },
  })
export type Item = z.output<typeof Item>

/** A packet of at most 200 documents. `as_of` is the date it is judged at; without it nothing is called expired or stale. */
export const PacketInput = z
  .strictObject({
    title: text(1, 256),
    purpose: text(1, 2048).optional(),
    profile: z.enum(profileKeys).optional(),
    required_sections: z.array(text(1, 128)).min(1).max(100).optional(),
    items: z
      .array(Item)
      .min(1)
      .max(200)
      .refine(
        (all) => together(all.flatMap(({ content, content_base64 }) => [content, content_base64])),
        tooLongTogether,
      ),
    as_of: Moment.optional(),
  })
  .refine(
    ({ profile, required_sections }) => profile !== undefined || required_sections !== undefined,
    {
      message: 'a packet names a profile, its required sections, or both',
    },
  )
  .meta({ anyOf: [{ required: ['profile'] }, { required: ['required_sections'] }] })
export type PacketInput = z.output<typeof PacketInput>

const ManifestEntry = z.strictObject({
  name: z.string(),
  section: z.string(),
  sha256: Digest,
  bytes: z.int().nullable(),
  issued_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  source: z.string().nullable(),
  /** verified: of the content, as claimed; computed: of the content, nothing claimed; claimed: no content to check. */
  digest: z.enum(['verified', 'computed', 'claimed', 'mismatch']),
  validity: z.enum(['current', 'expired', 'stale', 'future', 'undated', 'unjudged']),
  leaf_sha256: Digest,
})
export type ManifestEntry = z.output<typeof ManifestEntry>

const Dated = z.strictObject({
  name: z.string(),
  section: z.string(),
  since: z.string(),
  citation: Cited,
})

const SectionCoverage = z.strictObject({
  section: z.string(),
  title: z.string(),
  required: z.boolean(),
  max_age_days: z.int().nullable(),
  state: z.enum(['present', 'partial', 'unusable', 'missing']),
  points: z.int().min(0).max(2),
  items: z.array(Cited),
})
export type SectionCoverage = z.output<typeof SectionCoverage>

export const PacketResult = z.strictObject({
  profile: z.enum(profileKeys).nullable(),
  as_of: z.string().nullable(),
  manifest: z.array(ManifestEntry),
  merkle_root: Digest,
  section_coverage: z.array(SectionCoverage),
  duplicates: z.array(z.strictObject({ sha256: Digest, items: z.array(Cited) })),
  expired: z.array(Dated),
  stale: z.array(Dated),
  hash_mismatches: z.array(
    z.strictObject({ name: z.string(), claimed_sha256: Digest, sha256: Digest, citation: Cited }),
  ),
  gaps: z.array(z.string()),
  readiness: z.strictObject({ score: z.int().min(0).max(100), rule: z.string() }),
  complete: z.boolean(),
})
export type PacketResult = z.output<typeof PacketResult>
