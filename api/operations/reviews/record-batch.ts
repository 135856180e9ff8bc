import { z } from 'zod'
import { verdicts } from '#domain/reviews/evidence.ts'
import { decisions, subjectKinds } from '#domain/reviews/review.ts'
import { Digest, freeText, IdempotencyKey, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Outcome } from '../console/shapes.ts'
import { operatorOf } from '../operators/caller.ts'

/** POST /api/operator/reviews: one decision about several subjects of one kind, each with its own signed receipt. */
export const reviewRecordBatch = operation({
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
    const reviewer = { ...operatorOf(context), idempotencyKey: idempotency_key }
    return { body: { outcomes: await context.reviews.recordBatch(reviewer, input) } }
  },
})
