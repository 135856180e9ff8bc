import { z } from 'zod'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { DeliveryId, Receiver } from './shapes.ts'

/** GET /api/provider-callback-receiver-demo: what came to a receiver of that name, the newest 50. */
export const callbackDemoRead = operation({
  id: 'callback-demo-read',
  summary: 'Read what the demo receiver of a name took.',
  http: { method: 'GET', path: demoReceiverPath, host: 'base' },
  access: 'public',
  input: z.strictObject({ receiver: Receiver, delivery_id: DeliveryId.optional() }),
  output: z
    .strictObject({
      items: z.array(
        z.strictObject({
          delivery_id: DeliveryId,
          event: z.string(),
          verified: z.literal(true),
          received_at: Time.nullable().meta({
            description: 'Null while every attempt was refused, as asked for.',
          }),
          attempts: z.int(),
        }),
      ),
    })
    .meta({ id: 'CallbackInbox' }),
  handle: async ({ receiver, delivery_id }, context) => ({
    body: { items: await context.callbacks.read(receiver, delivery_id) },
  }),
})
