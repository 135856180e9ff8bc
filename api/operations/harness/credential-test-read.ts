import { z } from 'zod'
import { operation } from '../../operation.ts'
import { ReadTestRun, readTest, testRead } from './shapes.ts'

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
  handle: readTest(suite, (scenarios) => ({
    matrix: scenarios.map(({ step, expected }) => ({ case: step, expected })),
  })),
})
