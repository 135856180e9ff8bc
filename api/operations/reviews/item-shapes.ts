import { z } from 'zod'
import { decisions, subjectKinds } from '#domain/reviews/review.ts'
import { Digest, Time } from '../../fields.ts'
import { waitShape } from '../tasks/wait-shapes.ts'

const { waiting_for, gaps, required_action } = waitShape
const reviewShape = { waiting_for, gaps, required_action }

export const compactItem = {
  subject_kind: z.enum(subjectKinds),
  subject_id: z.string(),
  state: z.string(),
  waiting_since: Time,
}
/** Something that waits for a decision. */
export const Item = z
  .strictObject({
    ...compactItem,
    rail: z.string().nullable(),
    summary: z.string(),
    evidence_links: z.array(z.string()).meta({ description: 'URLs.' }),
    amount_usd: z.int().nullable().meta({ description: 'The price that it is about.' }),
    evidence_root_sha256: Digest.nullable().meta({
      description: 'With `evidence_roots` or `subject_id`.',
    }),
    criteria_sha256: Digest.nullable().meta({
      description:
        'Digest of the acceptance criteria, with `evidence_roots` or `subject_id`; a batch takes equal ones.',
    }),
    allowed_decisions: z.array(z.enum(decisions)),
    ...reviewShape,
  })
  .meta({ id: 'WaitingSubject' })
export const CompactItem = z.strictObject(compactItem).meta({ id: 'CompactWaitingSubject' })
