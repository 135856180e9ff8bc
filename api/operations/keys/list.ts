import { z } from 'zod'
import { operatorExamples } from '../../examples/operators.ts'
import { operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { ServiceKey } from './shapes.ts'

const output = z
  .strictObject({ keys: z.array(ServiceKey), receipt: Receipt })
  .meta({ id: 'ServiceKeys' })

/** GET /api/operator/keys: every signing key with its state, oldest first. */
export const listKeys = operation({
  id: 'keys-list',
  summary:
    'List every signing key of the service with its standing; answers with a signed receipt.',
  http: { method: 'GET', path: '/api/operator/keys', host: 'base' },
  access: 'operator',
  output,
  example: operatorExamples['keys-list'],
  handle: async (_input, context) => ({
    body: await context.keys.list(callingOperator(context)),
  }),
})
