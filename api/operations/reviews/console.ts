import { z } from 'zod'
import { decisions, subjectKinds } from '#domain/reviews/review.ts'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../agents/shapes.ts'
import { waitShape } from '../tasks/wait-shapes.ts'

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
  })
  .meta({ id: 'ReviewConsole' })

const Flag = z.enum(['true', 'false'])

/** GET /api/loop-review-console: what waits for a decision, who waits longest first. */
export const reviewConsole = operation({
  id: 'loop-review-console',
  summary: 'List what waits for an operator’s decision, with the decisions that are allowed.',
  http: { method: 'GET', path: '/api/loop-review-console', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    compact: Flag.optional().meta({ description: 'Only kind, id, state and time.' }),
    kind: z.enum(subjectKinds).optional(),
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
  handle: async ({ compact, kind, state, rail, needs_attention, offset, limit }, context) => {
    const page = { offset: Number(offset ?? 0), limit: Number(limit ?? 25) }
    const listed = await context.reviews.list({
      kind,
      state,
      rail,
      untouched: needs_attention === 'true',
      ...page,
    })
    const items =
      compact === 'true'
        ? listed.items.map((item) => z.object(compactItem).parse(item))
        : listed.items
    return { body: { ...listed, items } }
  },
})
