import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { subjectKinds } from '#domain/reviews/review.ts'
import { text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { Rail } from '../agents/shapes.ts'
import { waitingFields, waitingOf } from '../console/shapes.ts'
import { Evidence, EvidencePart, PartName } from './evidence-shapes.ts'
import { CompactItem, compactItem, Item } from './item-shapes.ts'

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
    part: PartName.optional().meta({ description: 'One part of the evidence, in slices.' }),
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
    ...waitingFields,
    evidence_roots: Flag.optional().meta({ description: 'Lists the root of each evidence.' }),
    ...pageFields(6),
  }),
  output: z
    .strictObject({
      items: z.union([z.array(Item), z.array(CompactItem)]),
      ...pageAnswer,
      counts: z.record(z.string(), z.int()).meta({ description: 'By kind of subject.' }),
      evidence: Evidence.nullable().meta({ description: 'With `subject_id`.' }),
      evidence_part: EvidencePart.nullable().meta({ description: 'With `part`.' }),
    })
    .meta({ id: 'ReviewConsole' }),
  handle: async ({ compact, kind, state, rail, needs_attention, ...asked }, context) => {
    const { subject_id: subjectId, part, part_offset, evidence_roots, offset, limit } = asked
    if (subjectId === undefined && (part ?? part_offset) !== undefined) throw partOfNothing()
    const page = pageOf({ offset, limit })
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
      ...waitingOf(asked),
      ...page,
    })
    const rootsOf = async (id: string) =>
      evidence_roots === 'true' || id === subjectId ? context.reviews.roots(id) : noRoots
    const items =
      compact === 'true'
        ? listed.items.map((item) => z.object(compactItem).parse(item))
        : await Promise.all(
            listed.items.map(async (item) => ({ ...item, ...(await rootsOf(item.subject_id)) })),
          )
    return { body: { ...listed, ...subject, items } }
  },
})

const noRoots = { evidence_root_sha256: null, criteria_sha256: null }

const partOfNothing = () => {
  const message = 'is of one subject, which subject_id names'
  return refuse('invalid_request', {
    detail: `a part ${message}`,
    errors: [{ pointer: '/part', message }],
  })
}
