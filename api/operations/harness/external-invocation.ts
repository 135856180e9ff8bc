import { z } from 'zod'
import { operation } from '../../operation.ts'
import {
  begin,
  ReadTestRun,
  readTest,
  Scenario,
  scenariosOf,
  testFields,
  testRead,
  testStart,
} from './shapes.ts'

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

/** POST /api/external-agent-invocation-test: one workflow, whose steps call this very service. */
export const externalInvocationRun = operation({
  id: 'external-invocation-run',
  summary:
    'Test the running MCP endpoint as a client that knows nothing of it: descriptor, protocol, each free tool and refusals. While it runs the answer is 202: repeat the call with its key.',
  http: { method: 'POST', path: '/api/external-agent-invocation-test', host: 'base' },
  tool: 'run_external_agent_invocation_test',
  ...testStart,
  errors: [],
  input: z.strictObject({ ...testFields, scenarios: scenariosOf(suite) }),
  handle: ({ idempotency_key: _key, ...asked }, context) => begin(context, suite, asked),
})
