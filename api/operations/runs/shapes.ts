import { z } from 'zod'
import { verdicts } from '#domain/reviews/evidence.ts'
import { loopSteps } from '#domain/runs/controlled-loop.ts'
import { Digest, ReceiptId, Time } from '../../fields.ts'
import { Rail } from '../agents/shapes.ts'
import { TaskId, TaskState, TaskToken, TaskUsage, Tier } from '../tasks/shapes.ts'
import { waitShape } from '../tasks/wait-shapes.ts'

export const RunId = z.string().regex(/^run_[0-9a-f]{64}$/)

/** What a run has to meet, and what its reviewer or a check says of it. */
export const Criterion = z.strictObject({
  criterion: z.string(),
  met: z.boolean(),
  verdict: z.enum(verdicts),
  note: z.string().meta({ description: 'Of the reviewer, or of the check.' }),
})

const Loop = z.strictObject({
  step: z
    .enum(loopSteps)
    .nullable()
    .meta({ description: 'The one to take next; null before the work and after it.' }),
  index: z.int().nullable(),
  steps: z.array(
    z.strictObject({
      step: z.enum(loopSteps),
      state: z.enum([
        'to_do',
        'waits',
        'done',
        'refused',
        'too_complex',
        'gaps',
        'revise',
        'reject',
      ]),
      started_at: Time.nullable(),
      finished_at: Time.nullable(),
      output_sha256: Digest.nullable(),
      tries: z.int().min(0).meta({ description: 'How often it was begun.' }),
    }),
  ),
})

/** A run as its owner sees it: one task stands behind it, whose state it has. */
export const Run = z
  .strictObject({
    run_id: RunId,
    task_id: TaskId,
    task_token: TaskToken.meta({
      description: 'Reads the task on the OS host; acts need the key or the access key.',
    }),
    state: TaskState,
    ...waitShape,
    rail: Rail,
    tier: Tier,
    usage: TaskUsage,
    loop: Loop,
    work_order_id: z.string().nullable(),
    quote_id: z.string().nullable(),
    entitlement_id: z.string().nullable(),
    payment_reference_id: z.string().nullable(),
    return_package_id: z.string().nullable(),
    proof_hash: Digest.nullable(),
    completion_signature: z.string().nullable(),
    settlement_receipt_id: ReceiptId.nullable(),
    usage_receipt_id: ReceiptId.nullable(),
    links: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Run' })
