import { z } from 'zod'
import { callerIn } from '../../caller.ts'
import { Digest, freeText, IdempotencyKey, Time, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { REGRESSION_PATH, RegressionDiff, RegressionReport, TestRunId } from './shapes.ts'

/** POST /api/persistent-regression-store, mode `persist_regression_report`: one report of a test, made of its stored transcript. */
export const regressionPersist = operation({
  id: 'regression-persist',
  summary:
    'Keep the report of a completed test, made of its stored transcript, with a receipt and what changed since the last one.',
  http: { method: 'POST', path: REGRESSION_PATH, host: 'base' },
  tool: 'persist_regression_report',
  access: ['agent', 'operator'],
  needs: { scopes: ['regression:write'] },
  status: [201],
  errors: ['not_found', 'not_ready', 'forbidden_material'],
  idempotency: { kind: 'natural', key: ({ test_run_id }) => test_run_id },
  input: z.strictObject({
    mode: z.literal('persist_regression_report'),
    test_run_id: TestRunId,
    note: freeText(1000).optional(),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: z
    .strictObject({ report: RegressionReport, receipt: Receipt, diff: RegressionDiff })
    .meta({ id: 'PersistedRegressionReport' }),
  handle: async ({ test_run_id, note }, { regressions }) => ({
    body: await regressions.persist(test_run_id, note ?? null),
  }),
})

/** GET /api/persistent-regression-store: reports of this service, and to an agent its own. */
export const regressionRead = operation({
  id: 'regression-read',
  summary:
    'Read the newest reports of tests of this service, and your own as an agent, with the trend.',
  http: { method: 'GET', path: REGRESSION_PATH, host: 'base' },
  tool: 'read_recent_regressions',
  access: ['agent', 'public'],
  needs: { scopes: ['runs:read'] },
  input: z.strictObject({
    kind: text(1, 80).optional().meta({ description: 'The suite.' }),
    failed: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'Only reports with a failed step, or only those without.' }),
    since: Time.optional(),
    ...pageFields(6),
  }),
  output: z
    .strictObject({
      items: z.array(RegressionReport),
      ...pageAnswer,
      trend: z
        .strictObject({
          reports: z.int(),
          with_failures: z.int(),
          steps_passed: z.int(),
          steps_failed: z.int(),
          failed_then_now: z.array(z.int()).length(2).nullable().meta({
            description: 'Two numbers: failed steps of the oldest and the newest of these reports.',
          }),
        })
        .meta({ description: 'Of all reports that the filter takes.' }),
    })
    .meta({ id: 'RegressionReports' }),
  handle: async ({ kind, failed, since, ...page }, context) => {
    const filter = {
      kind,
      failed: failed === undefined ? undefined : failed === 'true',
      since: since === undefined ? undefined : new Date(since),
      agentId: callerIn(context).agentId,
    }
    return { body: await context.regressions.list(filter, pageOf(page)) }
  },
})

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
    body: await context.regressions.store(
      callerIn(context).requiredAgentId,
      report,
      context.callId,
    ),
  }),
})
