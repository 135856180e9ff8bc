import { z } from 'zod'
import { harnessExamples } from '../../examples/harness.ts'
import { operation } from '../../operation.ts'
import { ReadTestRun, testRead } from './shapes.ts'

const suite = 'credential-enforcement-agent-test'
const contract = z
  .strictObject({
    matrix: z.array(z.strictObject({ case: z.string(), expected: z.string() })),
  })
  .meta({ id: 'TestOfAccessKeys' })

/** GET /api/credential-enforcement-agent-test. */
export const credentialTestRead = operation({
  id: 'credential-test-read',
  summary:
    'Read the cases of the access key test with what each expects, or how a test went, with its transcript.',
  http: { method: 'GET', path: '/api/credential-enforcement-agent-test', host: 'base' },
  ...testRead,
  output: z.union([ReadTestRun, contract]),
  example: harnessExamples['credential-test-read'],
  handle: async ({ test_run_id }, { tests }) => {
    if (test_run_id !== undefined) return { body: await tests.read(suite, test_run_id) }
    return {
      body: {
        matrix: tests.scenarios(suite).map(({ step, expected }) => ({ case: step, expected })),
      },
    }
  },
})
