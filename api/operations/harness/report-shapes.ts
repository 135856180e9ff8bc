import { z } from 'zod'
import { Digest, Time } from '../../fields.ts'
import { ReportId, TestRunId } from './shapes.ts'

export const REGRESSION_PATH = '/api/persistent-regression-store'

/** A report as it was stored. */
export const RegressionReport = z
  .strictObject({
    report_id: ReportId,
    test_run_id: TestRunId.nullable(),
    origin: z.enum(['service', 'caller']).meta({
      description:
        'service: made of a stored transcript; caller: what an agent says of its own test.',
    }),
    verified: z.boolean().meta({ description: 'Only of a report of this service.' }),
    suite: z.string(),
    passed: z.int().min(0),
    failed: z.int().min(0),
    transcript_hash: Digest,
    code_version: z.string(),
    note: z.string().nullable(),
    at: Time,
  })
  .meta({ id: 'RegressionReport' })

export const RegressionDiff = z
  .strictObject({ newly_failing: z.array(z.string()), fixed: z.array(z.string()) })
  .meta({
    id: 'RegressionDiff',
    description: 'Since the report before of the same suite and source.',
  })
