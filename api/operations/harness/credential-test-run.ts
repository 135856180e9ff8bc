import { z } from 'zod'
import { operation } from '../../operation.ts'
import { begin, scenariosOf, testFields, testStart } from './shapes.ts'

const suite = 'credential-enforcement-agent-test'

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
