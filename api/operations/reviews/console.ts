import { z } from 'zod'
import { evidenceNames } from '#domain/reviews/evidence.ts'
import { decisions, subjectKinds } from '#domain/reviews/review.ts'
import { Time, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { waitShape } from '../tasks/wait-shapes.ts'
import { Evidence, EvidencePart } from './evidence-shapes.ts'

const { waiting_for, gaps, required_action } = waitShape
const reviewShape = { waiting_for, gaps, required_action }

const compactItem = {
  subject_kind: z.enum(subjectKinds),
  subject_id: z.string(),
  state: z.string(),
  waiting_since: Time,
}
const Item = z
  .strictObject({
    ...compactItem,
    rail: z.string().nullable(),
    summary: z.string(),
    evidence_links: z.array(z.string()).meta({ description: 'URLs.' }),
    allowed_decisions: z.array(z.enum(decisions)),
    ...reviewShape,
  })
  .meta({ id: 'WaitingSubject' })
const CompactItem = z.strictObject(compactItem).meta({ id: 'CompactWaitingSubject' })

const output = z
  .strictObject({
    items: z.union([z.array(Item), z.array(CompactItem)]),
    offset: z.int(),
    limit: z.int(),
    total: z.int(),
    counts: z.record(z.string(), z.int()).meta({ description: 'By kind of subject.' }),
    evidence: Evidence.nullable().meta({ description: 'With `subject_id`.' }),
    evidence_part: EvidencePart.nullable().meta({ description: 'With `part`.' }),
  })
  .meta({ id: 'ReviewConsole' })

const Flag = z.enum(['true', 'false'])

/** GET /api/loop-review-console: what waits for a decision, who waits longest first. */
export const reviewConsole = operation({
  id: 'loop-review-console',
  summary: 'List what waits for an operator’s decision, with the decisions that are allowed.',
  http: { method: 'GET', path: '/api/loop-review-console', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({
    compact: Flag.optional().meta({ description: 'Only kind, id, state and time.' }),
    kind: z.enum(subjectKinds).optional(),
    subject_id: text(1, 128).optional().meta({ description: 'One subject, with its evidence.' }),
    part: z
      .enum(evidenceNames)
      .optional()
      .meta({ description: 'One part of the evidence, in slices.' }),
    part_offset: z
      .string()
      .regex(/^(0|[1-9][0-9]{0,8})$/)
      .optional(),
    state: z
      .string()
      .regex(/^[a-z_]{1,40}$/)
      .optional()
      .meta({ description: 'What stands in this state, waiting or not.' }),
    rail: Rail.optional(),
    needs_attention: Flag.optional().meta({ description: 'Only what no operator has looked at.' }),
    offset: z
      .string()
      .regex(/^(0|[1-9][0-9]{0,5})$/)
      .optional(),
    limit: z
      .string()
      .regex(/^([1-9][0-9]?|100)$/)
      .optional()
      .meta({ description: '25 unless given.' }),
  }),
  output,
  handle: async ({ compact, kind, state, rail, needs_attention, ...asked }, context) => {
    const { subject_id: subjectId, part, part_offset, offset, limit } = asked
    const page = { offset: Number(offset ?? 0), limit: Number(limit ?? 25) }
    const slice = part === undefined ? undefined : { name: part, offset: Number(part_offset ?? 0) }
    const subject =
      subjectId === undefined
        ? { evidence: null, evidence_part: null }
        : await context.reviews.evidence(subjectId, slice)
    const listed = await context.reviews.list({
      kind,
      subjectId,
      state,
      rail,
      untouched: needs_attention === 'true',
      ...page,
    })
    const items =
      compact === 'true'
        ? listed.items.map((item) => z.object(compactItem).parse(item))
        : listed.items
    return { body: { ...listed, ...subject, items } }
  },
})
