import { productionExamples } from '../../examples/production.ts'
import { operation } from '../../operation.ts'
import { WriteGateContract } from './gate-shapes.ts'

/** GET /api/production-write-gate: printed from the registry, with what passed so far. */
export const writeGateRead = operation({
  id: 'write-gate-read',
  summary:
    'Read what the production write gate validates, which operations are behind it, and what passed it so far.',
  http: { method: 'GET', path: '/api/production-write-gate', host: 'base' },
  access: 'public',
  output: WriteGateContract,
  example: productionExamples['write-gate-read'],
  handle: async (_input, context) => ({ body: await context.writeGate.describe() }),
})
