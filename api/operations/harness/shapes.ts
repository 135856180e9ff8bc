import { z } from 'zod'
import { harnessRails, type SuiteName, stepNamesOf, suiteNames } from '#domain/harness/suites.ts'
import type { Context } from '../../context.ts'
import { Digest, IdempotencyKey, Time } from '../../fields.ts'
import type { TestAsked } from '../../services/harness/tests.ts'

export const TestRunId = z
  .string()
  .regex(/^tr_[0-9a-f]{64}$/)
  .meta({ description: 'The test, as its start answered it.' })
const ReportId = z.string().regex(/^rg_[0-9a-f]{64}$/)

const HarnessRail = z
  .enum(harnessRails)
  .default('packetops')
  .meta({ description: 'The rail whose sample is run.' })
const IdempotencyKeyOfTest = IdempotencyKey.optional()

/** The steps of a suite that a caller may ask for. */
export const scenariosOf = <Suite extends SuiteName>(suite: Suite) =>
  z
    .array(z.enum(stepNamesOf(suite)))
    .min(1)
    .max(20)
    .optional()
    .meta({
      description: 'The steps to play, with those that they build on; all of them unless given.',
    })

/** What every test with a rail is asked for with. */
export const testFields = { rail: HarnessRail, idempotency_key: IdempotencyKeyOfTest }

const Step = z.strictObject({
  step: z.string(),
  expected: z.string(),
  ok: z.boolean(),
  detail: z.string(),
  status: z.int().nullable().meta({ description: 'Of its last answer; null where none came.' }),
  ms: z.int().min(0),
  request_sha256: Digest.meta({ description: 'Of all requests of the step, as canonical JSON.' }),
  response_sha256: Digest.meta({ description: 'Of all answers of the step.' }),
})

const run = {
  test_run_id: TestRunId,
  suite: z.enum(suiteNames as [SuiteName, ...SuiteName[]]),
  rail: z.enum(harnessRails),
  state: z.enum(['running', 'completed']),
  passed: z.int().min(0),
  failed: z.int().min(0),
  pending: z.array(z.string()).meta({ description: 'Steps that are still to be played.' }),
  steps: z.array(Step),
  transcript_hash: Digest.nullable(),
  report_id: ReportId.nullable().meta({ description: 'Once its report is persisted.' }),
  usage: z.literal('synthetic'),
  code_version: z.string(),
  began_at: Time,
}
/** A test as it stands. */
const TestRun = z.strictObject(run).meta({ id: 'TestRun' })

/** A test with everything that was sent and answered, without secrets; long bodies are their digests. */
export const ReadTestRun = z
  .strictObject({
    ...run,
    transcript: z.array(
      z.strictObject({
        step: z.string(),
        exchanges: z.array(
          z.strictObject({ request: z.looseObject({}), response: z.looseObject({}) }),
        ),
      }),
    ),
  })
  .meta({ id: 'ReadTestRun' })

export const Scenario = z.strictObject({ step: z.string(), expected: z.string() })

/** What the start of a test has, whichever suite it plays. */
export const testStart = {
  access: 'public',
  status: [200, 202],
  output: TestRun,
  uses: () => ({ workflows: 1 }),
} as const

/** The answer of a test that is begun, or joined by a repeat. */
export async function begin(context: Context, suite: SuiteName, asked: TestAsked) {
  const { caller, callId, tests } = context
  if (caller.kind !== 'public') throw new TypeError('a test is begun by any caller')
  return tests.run(suite, asked, { callId, address: caller.address })
}

type PlannedScenario = z.output<typeof Scenario>

/** Reads a test of a suite, or what the suite plays where none is named. */
export const readTest =
  <Contract>(suite: SuiteName, contractOf: (scenarios: PlannedScenario[]) => Contract) =>
  async ({ test_run_id }: { test_run_id?: string | undefined }, { tests }: Context) => ({
    body:
      test_run_id === undefined
        ? contractOf(tests.scenarios(suite))
        : await tests.read(suite, test_run_id),
  })

/** What the reads of all suites have. */
export const testRead = {
  access: 'public',
  errors: ['not_found'],
  input: z.strictObject({ test_run_id: TestRunId.optional() }),
} as const

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
