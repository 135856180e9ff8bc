import { z } from 'zod'
import { stepNamesOf } from '#domain/harness/suites.ts'
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

const suite = 'agent-to-agent-test-harness'
const contract = z
  .strictObject({
    contents: z.array(z.enum(stepNamesOf(suite))),
    scenarios: z.array(Scenario),
  })
  .meta({ id: 'TestOfTwoAgents' })

/** GET /api/agent-to-agent-test-harness. */
export const agentHarnessRead = operation({
  id: 'agent-harness-read',
  summary: 'Read what the test of two agents plays, or how a test went, with its transcript.',
  http: {
    method: 'GET',
    path: '/api/agent-to-agent-test-harness',
    aliases: ['/api/agent-test-harness'],
    host: 'base',
  },
  ...testRead,
  output: z.union([ReadTestRun, contract]),
  handle: readTest(suite, (scenarios) => ({
    contents: [...stepNamesOf(suite)],
    scenarios,
  })),
})

/** POST /api/agent-to-agent-test-harness: one workflow, whose steps call this very service. */
export const agentHarnessRun = operation({
  id: 'agent-harness-run',
  summary:
    'Test the running service with two sandbox agents: discovery, tools, payment, run, package and receipts. While it runs the answer is 202: repeat the call with its key.',
  http: {
    method: 'POST',
    path: '/api/agent-to-agent-test-harness',
    aliases: ['/api/agent-test-harness'],
    host: 'base',
  },
  tool: 'run_agent_to_agent_test',
  ...testStart,
  errors: [],
  input: z.strictObject({ ...testFields, scenarios: scenariosOf(suite) }),
  handle: ({ idempotency_key: _key, ...asked }, context) => begin(context, suite, asked),
})
