import { z } from 'zod'
import { TrustLimits } from '#domain/agents/trust-limits.ts'
import { verdicts } from '#domain/reviews/evidence.ts'
import { decisions, subjectKinds } from '#domain/reviews/review.ts'
import { Digest, freeText, IdempotencyKey, Time, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorOf } from '../operators/caller.ts'
import { Receipt } from '../operators/receipt.ts'

const Judgement = z.strictObject({
  criterion: z.string(),
  verdict: z.enum(verdicts),
  note: z.string(),
})

/** POST /api/loop-review-console: records every human decision. */
export const reviewRecord = operation({
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
    const reviewer = { ...operatorOf(context), idempotencyKey: idempotency_key }
    return { body: await context.reviews.record(reviewer, input, context.callId) }
  },
})
