import { z } from 'zod'
import { TrustLimits } from '#domain/agents/trust-limits.ts'
import { refuse } from '#domain/core/errors.ts'
import { rowTypes } from '#domain/rails/input/documents.ts'
import { verdicts } from '#domain/reviews/evidence.ts'
import { decisions, subjectKinds } from '#domain/reviews/review.ts'
import { callerIn } from '../caller.ts'
import { Digest, freeText, IdempotencyKey, Time, text } from '../fields.ts'
import { operation } from '../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../page-fields.ts'
import { Rail } from '../shapes/agents.ts'
import { Outcome, waitingFields, waitingOf } from '../shapes/console.ts'
import { Receipt } from '../shapes/receipts.ts'
import { waitShape } from '../shapes/tasks.ts'

const PartName = z
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
const Evidence = z
  .strictObject({
    subject_kind: z.enum(subjectKinds),
    subject_id: z.string(),
    waiting_since: Time,
    parts: z.array(
      z.strictObject({
        ...part,
        media_type: z.enum(rowTypes),
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
const EvidencePart = z
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

const { waiting_for, gaps, required_action } = waitShape
const reviewShape = { waiting_for, gaps, required_action }

const compactItem = {
  subject_kind: z.enum(subjectKinds),
  subject_id: z.string(),
  state: z.string(),
  waiting_since: Time,
}
/** Something that waits for a decision. */
const Item = z
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
const CompactItem = z.strictObject(compactItem).meta({ id: 'CompactWaitingSubject' })

const Flag = z.enum(['true', 'false'])

/** GET /api/loop-review-console: what waits for a decision, who waits longest first. */
const reviewConsole = operation({
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

/** POST /api/operator/reviews: one decision about several subjects of one kind, each with its own signed receipt. */
const reviewRecordBatch = operation({
  id: 'loop-review-record-batch',
  summary:
    'Decide the same about several subjects of one kind with the same criteria, or only try it; each gets an outcome.',
  http: { method: 'POST', path: '/api/operator/reviews', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'forbidden_material'],
  idempotency: { kind: 'effect' },
  input: z.strictObject({
    subject_kind: z.enum(subjectKinds),
    decision: z.enum(decisions),
    note: freeText(2000, 1),
    items: z
      .array(z.strictObject({ subject_id: text(1, 128), evidence_root_sha256: Digest }))
      .min(1)
      .max(100)
      .meta({
        description: 'With the root of the evidence as it was listed; changed ones are refused.',
      }),
    judgements: z
      .array(
        z.strictObject({
          criterion: freeText(500, 1),
          verdict: z.enum(verdicts),
          note: freeText(2000, 0),
        }),
      )
      .max(20)
      .default([]),
    revision: z
      .strictObject({ parameters: z.record(z.string().max(64), z.unknown()) })
      .optional()
      .meta({ description: 'With `revise` of runs of one rail: the same parameters for each.' }),
    dry_run: z.boolean().default(false),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ outcomes: z.array(Outcome) }).meta({ id: 'ReviewOutcomes' }),
  handle: async ({ idempotency_key, ...input }, context) => {
    const reviewer = { ...callerIn(context).namedOperator, idempotencyKey: idempotency_key }
    return { body: { outcomes: await context.reviews.recordBatch(reviewer, input) } }
  },
})

const Judgement = z.strictObject({
  criterion: z.string(),
  verdict: z.enum(verdicts),
  note: z.string(),
})

/** POST /api/loop-review-console: records every human decision. */
const reviewRecord = operation({
  id: 'loop-review-record',
  summary:
    'Decide about what waits; the decision is carried out at once and answers with a signed receipt.',
  http: { method: 'POST', path: '/api/loop-review-console', host: 'base' },
  access: 'operator',
  errors: [
    'not_found',
    'wrong_state',
    'already_decided',
    'evidence_changed',
    'payment_pending',
    'forbidden_material',
  ],
  input: z.strictObject({
    subject_kind: z.enum(subjectKinds),
    subject_id: text(1, 128),
    decision: z.enum(decisions),
    note: freeText(2000, 1),
    waiting_since: Time.optional().meta({
      description: 'As the console shows it: refused when it no longer waits since then.',
    }),
    limits: TrustLimits.optional(),
    contact_notified: z.boolean().optional().meta({
      description:
        'With the approval of an agent: its contact was written to that its access key waits; the note says how.',
    }),
    evidence_seen_sha256: z.array(Digest).min(1).max(50).meta({
      description: 'The root of the evidence that was read, and any parts that were opened.',
    }),
    judgements: z
      .array(
        z.strictObject({
          criterion: freeText(500, 1),
          verdict: z.enum(verdicts),
          note: freeText(2000, 0),
        }),
      )
      .max(20)
      .default([])
      .meta({ description: 'Of the acceptance criteria of a run; others stay `not_judged`.' }),
    revision: z
      .union([
        z.strictObject({ parameters: z.record(z.string().max(64), z.unknown()) }),
        z.strictObject({ input: z.record(z.string(), z.unknown()) }),
      ])
      .optional()
      .meta({
        description:
          'With `revise` of a run: parameters that its rail declares, or a corrected input that its agent has to accept.',
      }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      review_decision: z.strictObject({
        decision_id: z.string(),
        subject_kind: z.enum(subjectKinds),
        subject_id: z.string(),
        decision: z.enum(decisions),
        note: z.string(),
        judgements: z.array(Judgement),
        decided_by: z.strictObject({ operator_id: z.string(), operator_name: z.string() }),
        at: Time,
      }),
      subject: z.strictObject({
        subject_kind: z.enum(subjectKinds),
        subject_id: z.string(),
        state: z.string().meta({ description: 'The state that the decision led to.' }),
        view: z.looseObject({}),
      }),
      receipt: Receipt,
    })
    .meta({ id: 'ReviewDecision' }),
  handle: async ({ idempotency_key, ...input }, context) => {
    const reviewer = { ...callerIn(context).namedOperator, idempotencyKey: idempotency_key }
    return { body: await context.reviews.record(reviewer, input, context.callId) }
  },
})

/** Where people decide. */
export const reviews = [reviewConsole, reviewRecord, reviewRecordBatch] as const
