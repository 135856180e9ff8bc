import { z } from 'zod'
import { evidenceNames } from '#domain/reviews/evidence.ts'
import { subjectKinds } from '#domain/reviews/review.ts'
import { Digest, Time } from '../../fields.ts'

const part = { name: z.enum(evidenceNames), sha256: Digest, bytes: z.int() }
/** Everything that a decision about one subject is about, with its digests. */
export const Evidence = z
  .strictObject({
    subject_kind: z.enum(subjectKinds),
    subject_id: z.string(),
    waiting_since: Time,
    parts: z.array(
      z.strictObject({
        ...part,
        content: z.unknown().meta({ description: 'Null for a long part: read it by `part`.' }),
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
    text: z.string().meta({ description: 'Canonical JSON (RFC 8785), from `offset` on.' }),
  })
  .meta({ id: 'ReviewEvidencePart' })
