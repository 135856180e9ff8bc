import { z } from 'zod'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { limits } from '#domain/core/limits.ts'
import { operation } from '../../operation.ts'
import { sentStream } from '../agents/caller.ts'
import { DeliveryId, Receiver } from './shapes.ts'

/** POST /api/provider-callback-receiver-demo: takes callbacks of this service, so that a run can be tried without a receiver of one’s own. */
export const callbackDemoReceive = operation({
  id: 'callback-demo-receive',
  summary:
    'Take a callback of this service by its signature; a receiver can refuse the first attempts.',
  http: { method: 'POST', path: demoReceiverPath, host: 'base' },
  access: 'public',
  // Signed as it is, to the byte.
  stream: { mediaTypes: ['application/json'], bytesMax: limits.bodyBytesMax },
  errors: ['webhook_signature_invalid'],
  idempotency: { kind: 'effect' },
  input: z.strictObject({
    receiver: Receiver,
    fail: z
      .string()
      .regex(/^[0-5]$/)
      .default('0')
      .meta({ description: 'How many attempts are answered 503 first.' }),
  }),
  output: z
    .strictObject({
      verified: z.literal(true),
      checks: z.array(
        z.strictObject({ check: z.enum(['headers', 'time', 'signature']), ok: z.boolean() }),
      ),
      delivery_id: DeliveryId,
      duplicate: z.boolean(),
      nonce: z.string().optional().meta({ description: 'Of a host_proof, echoed.' }),
    })
    .meta({ id: 'ReceivedCallback' }),
  handle: async ({ receiver, fail }, context) => {
    const { bytes: body } = sentStream(context)
    const { headers } = context.sent
    return {
      body: await context.callbacks.receive({ receiver, refuseFirst: Number(fail), headers, body }),
    }
  },
})
