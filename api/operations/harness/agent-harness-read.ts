import { z } from 'zod'
import { stepNamesOf } from '#domain/harness/suites.ts'
import { operation } from '../../operation.ts'
import { ReadTestRun, readTest, Scenario, testRead } from './shapes.ts'

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
