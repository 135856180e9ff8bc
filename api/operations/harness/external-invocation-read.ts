import { z } from 'zod'
import { harnessExamples } from '../../examples/harness.ts'
import { operation } from '../../operation.ts'
import { ReadTestRun, Scenario, testRead } from './shapes.ts'

const suite = 'external-agent-invocation-test'
const contract = z
  .strictObject({
    scenarios: z.array(Scenario),
    build_date: z.literal('2026-06-17'),
  })
  .meta({ id: 'TestOfForeignClient' })

/** GET /api/external-agent-invocation-test. */
export const externalInvocationRead = operation({
  id: 'external-invocation-read',
  summary:
    'Read what the test of a foreign MCP client plays, or how a test went, with its transcript.',
  http: { method: 'GET', path: '/api/external-agent-invocation-test', host: 'base' },
  ...testRead,
  output: z.union([ReadTestRun, contract]),
  example: harnessExamples['external-invocation-read'],
  handle: async ({ test_run_id }, { tests }) => {
    if (test_run_id !== undefined) return { body: await tests.read(suite, test_run_id) }
    return {
      body: { scenarios: tests.scenarios(suite), build_date: '2026-06-17' as const },
    }
  },
})
