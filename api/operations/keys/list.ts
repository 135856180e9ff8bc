import { z } from 'zod'
import { operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { ServiceKey, ServiceKeyRotation } from './shapes.ts'

/** GET /api/operator/keys: every signing key with its state, oldest first, and the rotations. */
export const listKeys = operation({
  id: 'keys-list',
  summary:
    'List every signing key of the service with its standing, and their rotations; answers with a signed receipt.',
  http: { method: 'GET', path: '/api/operator/keys', host: 'base' },
  access: 'operator',
  output: z
    .strictObject({
      keys: z.array(ServiceKey),
      rotations: z
        .array(ServiceKeyRotation)
        .meta({ description: 'Those that are not done, then the last that are; at most 50.' }),
      receipt: Receipt,
    })
    .meta({ id: 'ServiceKeys' }),
  handle: async (_input, context) => ({
    body: await context.keys.list(callingOperator(context)),
  }),
})
