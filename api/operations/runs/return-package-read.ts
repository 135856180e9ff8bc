import { z } from 'zod'
import { decisions } from '#domain/reviews/review.ts'
import { ReceiptId, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingToken } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { Task } from '../tasks/shapes.ts'
import { judgedShape, RecordReport } from './return-package.ts'
import { Criterion } from './shapes.ts'

/** GET /api/agents/status/{token}/return-package: a page for browsers, JSON for programs; `as` makes either a file. */
export const returnPackageRead = operation({
  id: 'return-package-read',
  summary:
    'Read the return package of a task by its status link, with its order, reviews, receipts and checks.',
  http: { method: 'GET', path: '/api/agents/status/{token}/return-package', host: 'base' },
  access: 'status',
  statusToken: { prefixes: ['tk'], signed: false },
  errors: ['not_ready', 'wrong_state'],
  input: z.strictObject({
    as: z.enum(['json', 'zip']).optional().meta({
      description: 'Answers with a file of this form, whatever `Accept` says.',
    }),
  }),
  output: z
    .strictObject({
      task: Task,
      ordered: z.array(z.string()).meta({ description: 'The scope of the contract.' }),
      ...judgedShape,
      record: RecordReport,
      review_policy: z.enum(['sandbox_policy', 'operator_review']).nullable(),
      reviews: z
        .array(
          z.strictObject({
            decision_id: z.string(),
            subject_kind: z.string(),
            decision: z.enum(decisions),
            operator_name: z.string(),
            receipt_id: ReceiptId,
            decided_at: Time,
          }),
        )
        .meta({ description: 'What operators decided about the task and its run.' }),
      criteria: z.array(Criterion),
      receipts: z.array(Receipt).meta({
        description: 'Every receipt of the task, its run and its credit, the oldest first.',
      }),
    })
    .meta({ id: 'ReturnPackageRecord' }),
  asFiles: ({ return_package }) => return_package,
  handle: async ({ as }, context) => {
    const { subjectId } = callingToken(context)
    const { attestation, ...read } = await context.runs.returnRecord(subjectId)
    const verification_packet = await context.receipts.verify({ receipt_id: attestation })
    const name = `${read.return_package.return_package_id}.json`
    const headers =
      as === 'json' ? { 'Content-Disposition': `attachment; filename=${name}` } : undefined
    return { body: { ...read, verification_packet }, ...(headers && { headers }) }
  },
})
