import { z } from 'zod'
import { operation } from '../../operation.ts'
import { begin, scenariosOf, testFields, testStart } from './shapes.ts'

const suite = 'agent-to-agent-test-harness'

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
