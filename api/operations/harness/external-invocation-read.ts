import { z } from 'zod'
import { operation } from '../../operation.ts'
import { ReadTestRun, readTest, Scenario, testRead } from './shapes.ts'

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
  handle: readTest(suite, (scenarios) => ({
    scenarios,
    build_date: '2026-06-17' as const,
  })),
})
