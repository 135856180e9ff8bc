import { z } from 'zod'
import { operation } from '../../operation.ts'
import {
  begin,
  ReadTestRun,
  readTest,
  scenariosOf,
  testFields,
  testRead,
  testStart,
} from './shapes.ts'

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

/** POST /api/credential-enforcement-agent-test: one workflow, whose steps call this very service. */
export const credentialTestRun = operation({
  id: 'credential-test-run',
  summary:
    'Test the running service with access keys in ten states and uses: each opens what it should and nothing else.',
  http: { method: 'POST', path: '/api/credential-enforcement-agent-test', host: 'base' },
  ...testStart,
  errors: [],
  input: z.strictObject({
    scenarios: scenariosOf(suite),
    idempotency_key: testFields.idempotency_key,
  }),
  handle: ({ scenarios }, context) => begin(context, suite, { rail: 'packetops', scenarios }),
})
