import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorOf } from '../operators/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { ServiceKey } from './shapes.ts'

/** POST /api/operator/keys, mode `publish_keys`: no key comes over the wire; the process reads its own file again. */
export const publishKeys = operation({
  id: 'keys-publish',
  summary:
    'Publish the keys that were added to the file of signing keys, and sign with them from then on.',
  http: { method: 'POST', path: '/api/operator/keys', host: 'base' },
  access: 'operator',
  errors: ['wrong_state', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('publish_keys'),
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ published: z.array(ServiceKey), receipt: Receipt })
    .meta({ id: 'PublishedKeys' }),
  handle: async ({ reason }, context) => ({
    body: await context.keys.publish(operatorOf(context), { reason }, context.callId),
  }),
})
