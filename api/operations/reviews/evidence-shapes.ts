import { z } from 'zod'
import { subjectKinds } from '#domain/reviews/review.ts'
import { Digest, Time } from '../../fields.ts'

export const PartName = z
  .string()
  .regex(/^[a-z0-9_.]{1,100}$/)
  .meta({
    description: 'Such as `result`, or `input.usage` for a list that the input names by digest.',
  })
const part = {
  name: PartName,
  sha256: Digest.meta({ description: 'Of the canonical JSON, or of all bytes of a list.' }),
  bytes: z.int(),
}
/** Everything that a decision about one subject is about, with its digests. */
export const Evidence = z
  .strictObject({
    subject_kind: z.enum(subjectKinds),
    subject_id: z.string(),
    waiting_since: Time,
    parts: z.array(
      z.strictObject({
        ...part,
        media_type: z.enum(['application/json', 'text/csv', 'application/x-ndjson']),
        content: z.unknown().meta({
          description: 'Null for a long part and for an uploaded list: read it by `part`.',
        }),
      }),
    ),
    root_sha256: Digest.meta({
      description: 'SHA-256 of the canonical manifest: kind, id, time and the digest of each part.',
    }),
  })
  .meta({ id: 'ReviewEvidence' })
/** A slice of one part. */
export const EvidencePart = z
  .strictObject({
    ...part,
    offset: z.int(),
    next_offset: z.int().nullable(),
    text: z.string().meta({
      description:
        'Canonical JSON (RFC 8785) from `offset` in characters, or whole lines of an uploaded list from `offset` in bytes.',
    }),
  })
  .meta({ id: 'ReviewEvidencePart' })
