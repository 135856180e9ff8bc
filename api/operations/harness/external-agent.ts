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

const suite = 'external-agent-agent-test'
const contract = z
  .strictObject({
    scenarios: z.array(Scenario),
  })
  .meta({ id: 'TestOfHandedWork' })

/** GET /api/external-agent-agent-test. */
export const externalAgentRead = operation({
  id: 'external-agent-read',
  summary:
    'Read what the test of a handed-over pack plays, or how a test went, with its transcript.',
  http: { method: 'GET', path: '/api/external-agent-agent-test', host: 'base' },
  ...testRead,
  output: z.union([ReadTestRun, contract]),
  handle: readTest(suite, (scenarios) => ({ scenarios })),
})

/** POST /api/external-agent-agent-test: one workflow, whose steps call this very service. */
export const externalAgentRun = operation({
  id: 'external-agent-run',
  summary:
    'Test that one sandbox agent can hand work to another and verify it; a counterpart is asked for its list of tools and for nothing else.',
  http: { method: 'POST', path: '/api/external-agent-agent-test', host: 'base' },
  ...testStart,
  errors: ['callback_refused'],
  input: z.strictObject({
    ...testFields,
    scenarios: scenariosOf(suite),
    counterpart_mcp_url: z
      .string()
      .max(2048)
      .regex(/^https:\/\/[!-~]+$/)
      .optional()
      .meta({
        'x-free-text': true,
        description:
          'An MCP server on HTTPS at a public address, asked for tools/list by one guarded request.',
      }),
  }),
  handle: ({ idempotency_key: _key, ...asked }, context) => begin(context, suite, asked),
})
