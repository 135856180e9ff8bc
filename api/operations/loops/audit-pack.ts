import { z } from 'zod'
import { decisions } from '#domain/reviews/review.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { Digest, ReceiptId, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { RunId } from '../../shapes/runs.ts'
import { TaskId, TaskState } from '../../shapes/tasks.ts'

const Decision = z.strictObject({
  decision_id: z.string(),
  subject_kind: z.string(),
  subject_id: z.string(),
  decision: z.enum(decisions),
  note: z.string(),
  decided_by: z.strictObject({ operator_id: z.string(), operator_name: z.string() }),
  waiting_since: Time,
  decided_at: Time,
  evidence_root_sha256: Digest,
  receipt_id: ReceiptId,
})
const Step = z.strictObject({
  attempt: z.int(),
  round: z.int(),
  step: z.enum(loopSteps),
  verdict: z.string().nullable(),
  output_sha256: Digest.nullable(),
  decided_by: z.string().nullable(),
  finished_at: Time.nullable(),
})

/** GET /api/loop-decision-audit-pack: computed from the records as they are now; nothing is stored. */
export const loopAuditPack = operation({
  id: 'loop-audit-pack',
  summary:
    'Read a signed pack of decisions with the loops, ledger heads and receipts that they are about.',
  http: { method: 'GET', path: '/api/loop-decision-audit-pack', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({
    from: Time.optional().meta({ description: 'Decisions at this time or later.' }),
    to: Time.optional().meta({ description: 'Decisions before this time.' }),
    run_id: RunId.optional().meta({
      description: 'Decisions about this run, its task, order, payments and exceptions.',
    }),
    decided_by: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .optional()
      .meta({ description: 'The id of an operator.' }),
    ...pageFields(6),
  }),
  output: z
    .strictObject({
      decisions: z.array(Decision).meta({ description: 'The last one first.' }),
      loops: z.array(z.strictObject({ run_id: RunId, task_id: TaskId, steps: z.array(Step) })),
      ledger_heads: z.array(
        z.strictObject({
          task_id: TaskId,
          state: TaskState,
          entries: z.int(),
          head_hash: Digest,
          review_decision: z.string().nullable(),
        }),
      ),
      receipts: z.array(
        z.strictObject({
          receipt_id: ReceiptId,
          kind: z.string(),
          subject: z.string(),
          jws: z.string(),
        }),
      ),
      offset: z.int(),
      limit: z.int(),
      total: z.int().meta({ description: 'Of all decisions that were asked for.' }),
      pack_sha256: Digest,
      jws: z.string().meta({
        description: 'Compact JWS, typ loop-audit-pack+jwt, over the digest, by the receipt ring.',
      }),
    })
    .meta({ id: 'LoopAuditPack' }),
  handle: async ({ offset, limit, ...asked }, context) => ({
    body: await context.auditPacks.read(asked, pageOf({ offset, limit })),
  }),
})
