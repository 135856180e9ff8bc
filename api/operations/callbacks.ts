import { z } from 'zod'
import { demoReceiverPath, receiverLanguages } from '#domain/callbacks/callback-body.ts'
import { limits } from '#domain/core/limits.ts'
import { activationSteps } from '#domain/payments/provider-activation.ts'
import { providerEventTypes } from '#domain/payments/provider-event-type.ts'
import { callerIn, sentStream } from '../caller.ts'
import { ReceiptId, Time, text } from '../fields.ts'
import { operation } from '../operation.ts'
import type { ActivationOf } from '../services/production/provider-activation.ts'
import { ReferenceId } from '../shapes/payments.ts'
import { RunId, runRead } from '../shapes/runs.ts'

const rules = {
  sequence: [...activationSteps],
  webhook_rules: {
    signatures: [
      'Standard Webhooks: v1 (HMAC-SHA256) or v1a (Ed25519)',
      'Stripe-Signature: v1 (HMAC-SHA256)',
    ],
    age_seconds_max: 300,
    event_types: [...providerEventTypes],
    amount:
      'exactly what is owed; another amount waits for an operator and is never part of the credit',
    repeated: 'an event counts once, by its id',
  },
}

function activationOf(payment_reference_id?: string, run_id?: string): ActivationOf | undefined {
  if (run_id !== undefined) return { run_id }
  if (payment_reference_id !== undefined) return { payment_reference_id }
  return undefined
}

/** GET /api/agent-paid-callback-completion: what follows from a provider's event, and how far a payment or run is. */
const callbackCompletionRead = operation({
  id: 'callback-completion-read',
  summary:
    'Read what follows from a payment provider’s event, or how far a payment or run of your own has come.',
  http: { method: 'GET', path: '/api/agent-paid-callback-completion', host: 'base' },
  ...runRead,
  input: z
    .strictObject({ payment_reference_id: ReferenceId.optional(), run_id: RunId.optional() })
    .refine(
      ({ payment_reference_id, run_id }) =>
        payment_reference_id === undefined || run_id === undefined,
      {
        message: 'give at most one of payment_reference_id and run_id',
      },
    )
    .meta({ not: { required: ['payment_reference_id', 'run_id'] } }),
  output: z
    .strictObject({
      sequence: z.array(z.enum(activationSteps)),
      webhook_rules: z.strictObject({
        signatures: z.array(z.string()),
        age_seconds_max: z.int(),
        event_types: z.array(z.enum(providerEventTypes)),
        amount: z.string(),
        repeated: z.string(),
      }),
      steps: z
        .array(
          z.strictObject({
            step: z.enum(activationSteps),
            done_at: Time.nullable().meta({ description: 'To the whole second.' }),
            evidence_id: z
              .string()
              .nullable()
              .meta({ description: 'What shows it: an event, receipt, entry or package.' }),
          }),
        )
        .nullable()
        .meta({ description: 'Of the payment or run that was asked for.' }),
      operator_decision: z
        .strictObject({
          decision: z.enum(['approve', 'reject', 'revise', 'hold']),
          decided_at: Time,
          receipt_id: ReceiptId,
        })
        .nullable()
        .meta({ description: 'The last decision of an operator about the payment.' }),
    })
    .meta({ id: 'ProviderActivation' }),
  handle: async ({ payment_reference_id, run_id }, context) => {
    const of = activationOf(payment_reference_id, run_id)
    if (of === undefined) return { body: { ...rules, steps: null, operator_decision: null } }
    callerIn(context).agentIdFor('a payment or run is read by its agent')
    return {
      body: { ...rules, ...(await context.activations.read(callerIn(context).taskActor, of)) },
    }
  },
})

const DeliveryId = z.string().regex(/^cb_[0-9a-f]{64}$/)
/** Whose inbox of the demo receiver it is: whatever name the caller made up. */
const Receiver = text(1, 64)

/** GET /api/provider-callback-receiver-demo: what came to a receiver of that name, the newest 50. */
const callbackDemoRead = operation({
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

/** POST /api/provider-callback-receiver-demo: takes callbacks of this service, so that a run can be tried without a receiver of one’s own. */
const callbackDemoReceive = operation({
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

/** GET /api/provider-callback-receiver-examples: callbacks signed by this service’s key at a fixed time, and code that verifies them. */
const callbackExamples = operation({
  id: 'callback-examples',
  summary:
    'Read callbacks as this service signs them, receivers that verify them, and when a callback is tried again.',
  http: {
    method: 'GET',
    path: '/api/provider-callback-receiver-examples',
    host: 'base',
    cacheable: true,
  },
  tool: 'get_provider_callback_receiver_examples',
  access: 'public',
  input: z.strictObject({ language: z.enum(receiverLanguages).optional() }),
  output: z
    .strictObject({
      signed_at: z.int().meta({ description: 'Unix seconds; judge the examples as of then.' }),
      events: z.array(
        z.strictObject({
          event: z.string(),
          headers: z.record(z.string(), z.string()),
          body: z.string(),
          signature: z.string(),
          public_key: z.string(),
          verifies: z.boolean(),
        }),
      ),
      receivers: z.array(z.strictObject({ language: z.enum(receiverLanguages), code: z.string() })),
      retry_rules: z.strictObject({
        attempts: z.int(),
        seconds_before_each: z.array(z.int()),
        jitter: z.string(),
        taken_by: z.string(),
        ended_by: z.string(),
      }),
    })
    .meta({ id: 'CallbackExamples' }),
  handle: async ({ language }, context) => ({
    body: await context.callbacks.examples(language),
  }),
})

/** How callbacks are received. */
export const callbacks = [
  callbackCompletionRead,
  callbackExamples,
  callbackDemoReceive,
  callbackDemoRead,
] as const
