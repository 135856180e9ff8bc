import { z } from 'zod'
import { operation } from '../../operation.ts'
import { ReadTestRun, readTest, Scenario, testRead } from './shapes.ts'

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
