import { z } from 'zod'
import { digestOf } from '#domain/core/canonical-json.ts'
import { limits } from '#domain/core/limits.ts'
import { plainText } from '#domain/core/plain-text-field.ts'
import { operation } from '../../operation.ts'
import { signedEvent } from '../agents/caller.ts'

const Name = plainText(200)
/** The id of an event; one without a usable one, which is of no concern, is known by its content. */
const keyOf = (event: Record<string, unknown>): string =>
  Name.safeParse(event['event_id'] ?? event['id']).data ?? digestOf(event)

/** POST /api/agent-paid-callback-completion: a payment provider's signed event, stored first and then applied. */
export const providerEventReceive = operation({
  id: 'provider-event-receive',
  summary:
    'Receive a payment provider’s signed event; its amount has to be exactly the one that is owed.',
  http: { method: 'POST', path: '/api/agent-paid-callback-completion', host: 'base' },
  access: 'provider',
  limits: { addressPerMinute: 600, bodyBytes: limits.providerEventBytesMax },
  status: [202],
  idempotency: { kind: 'natural', key: keyOf },
  input: z.looseObject({}).meta({
    description:
      'event_id, type (payment.settled, payment.failed, payment.refunded, refund.failed, session.expired), provider_session_id or ' +
      'external_reference, challenge_id, amount_usd and currency; or an event as Stripe sends it.',
  }),
  output: z
    .strictObject({
      event_id: z
        .string()
        .nullable()
        .meta({ description: 'Null for an event of a type that says nothing about a payment.' }),
      accepted: z.boolean(),
      duplicate: z.boolean(),
    })
    .meta({ id: 'ReceivedEvent' }),
  handle: async (event, context) => ({
    body: await context.providers.receive(signedEvent(context), event),
  }),
})
