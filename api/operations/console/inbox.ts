import { z } from 'zod'
import { inboxActions } from '#domain/reviews/inbox.ts'
import { decisions, subjectKinds } from '#domain/reviews/review.ts'
import { Digest, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { Rail } from '../agents/shapes.ts'
import { waitingFields, waitingOf } from './shapes.ts'

const Item = z
  .strictObject({
    action: z.enum(inboxActions).meta({ description: 'What a person has to do.' }),
    kind: z.string(),
    id: z.string(),
    state: z.string(),
    code: z.string().nullable().meta({ description: 'Of stopped work and of differences.' }),
    rail: z.string().nullable(),
    amount_usd: z.string().nullable().meta({ description: 'Money at stake.' }),
    summary: z.string(),
    waiting_since: Time,
    allowed_decisions: z.array(z.enum(decisions)),
    evidence_root_sha256: Digest.nullable().meta({ description: 'With `evidence_roots`.' }),
    criteria_sha256: Digest.nullable().meta({
      description:
        'Digest of the acceptance criteria, with `evidence_roots`; a batch takes equal ones.',
    }),
  })
  .meta({ id: 'InboxItem' })

/** GET /api/operator/inbox: everything that waits for a person, who waits longest first. */
export const inbox = operation({
  id: 'inbox',
  summary: 'List everything that waits for a person: decisions, stopped work and differences.',
  http: { method: 'GET', path: '/api/operator/inbox', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    action: z.enum(inboxActions).optional(),
    kind: z.enum(subjectKinds).optional().meta({ description: 'Only decisions of this kind.' }),
    code: z
      .string()
      .regex(/^[a-z_]{1,60}$/)
      .optional()
      .meta({ description: 'Only stopped work and differences with this code.' }),
    rail: Rail.optional(),
    evidence_roots: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'Lists the root of the evidence of each decision, for a batch.' }),
    ...waitingFields,
    ...pageFields(5),
  }),
  output: z
    .strictObject({
      items: z.array(Item),
      counts: z.array(
        z.strictObject({ action: z.enum(inboxActions), kind: z.string(), count: z.int() }),
      ),
      total: z.int(),
      offset: z.int(),
      limit: z.int(),
    })
    .meta({ id: 'Inbox' }),
  handle: async ({ action, kind, code, rail, evidence_roots, ...asked }, context) => {
    const evidenceRoots = evidence_roots === 'true'
    const filter = { action, kind, code, rail, ...waitingOf(asked) }
    return { body: await context.inbox.list({ ...filter, evidenceRoots, ...pageOf(asked) }) }
  },
})
