import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Receipt } from '../operators/receipt.ts'
import { REGRESSION_PATH, RegressionDiff, RegressionReport } from './report-shapes.ts'
import { TestRunId } from './shapes.ts'

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
