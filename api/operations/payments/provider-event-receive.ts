import { z } from 'zod'
import { operation } from '../../operation.ts'
import { signedEvent } from '../agents/caller.ts'

/** POST /api/agent-paid-callback-completion: a payment provider's signed event, stored first and then applied. */
export const providerEventReceive = operation({
  id: 'provider-event-receive',
  summary:
    'Receive a payment provider’s signed event; its amount has to be exactly the one that is owed.',
  http: { method: 'POST', path: '/api/agent-paid-callback-completion', host: 'base' },
  access: 'provider',
  limits: { addressPerMinute: 600 },
  status: [202],
  idempotency: { kind: 'natural', key: (event) => String(event['event_id'] ?? event['id'] ?? '') },
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
        .meta({ description: 'Null for an event that says nothing about a whole payment.' }),
      accepted: z.boolean(),
      duplicate: z.boolean(),
    })
    .meta({ id: 'ReceivedEvent' }),
  handle: async (event, context) => ({
    body: await context.providers.receive(signedEvent(context), event),
  }),
})
