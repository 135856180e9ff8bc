import { z } from 'zod'
import { Digest, freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgent } from '../agents/caller.ts'
import { REGRESSION_PATH, RegressionDiff, RegressionReport } from './report-shapes.ts'

const Count = z.int().min(0).max(500)
const ReportInput = z
  .strictObject({
    suite: freeText(80, 1).meta({ description: 'The name of your test.' }),
    passed: Count.meta({ description: 'How many steps passed.' }),
    failed: Count.meta({ description: 'How many steps failed.' }),
    steps: z
      .array(
        z.strictObject({
          step: freeText(120, 1).meta({ description: 'The name of the step.' }),
          ok: z.boolean().meta({ description: 'Whether it passed.' }),
        }),
      )
      .max(500)
      .default([])
      .meta({ description: 'What a later report is compared with.' }),
    transcript_hash: Digest.meta({ description: 'Of the transcript, which stays with you.' }),
    code_version: freeText(80, 1).meta({ description: 'The version that was tested.' }),
  })
  .meta({ description: 'What you say of your own test.' })

/** POST /api/persistent-regression-store, mode `store_regression_report`: an agent's own report, for itself alone. */
export const regressionStore = operation({
  id: 'regression-store',
  summary:
    'Keep a report of your own test, which only you read, and get what changed since your last one.',
  http: { method: 'POST', path: REGRESSION_PATH, host: 'base' },
  tool: 'store_regression_report',
  access: 'agent',
  needs: { scopes: ['regression:write'] },
  status: [201],
  errors: ['forbidden_material'],
  input: z.strictObject({
    mode: z.literal('store_regression_report'),
    report: ReportInput,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ report: RegressionReport, diff: RegressionDiff })
    .meta({ id: 'StoredRegressionReport' }),
  handle: async ({ report }, context) => ({
    body: await context.regressions.store(callingAgent(context), report, context.callId),
  }),
})
