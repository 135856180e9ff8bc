import { z } from 'zod'
import { activationSteps } from '#domain/payments/provider-activation.ts'
import { providerEventTypes } from '#domain/payments/provider-event-type.ts'
import { ReceiptId, Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import type { ActivationOf } from '../../services/credit/activation.ts'
import { moverOf, readingAgentId } from '../agents/caller.ts'
import { ReferenceId } from '../payments/shapes.ts'
import { runRead } from '../runs/run-read.ts'
import { RunId } from '../runs/shapes.ts'

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
export const callbackCompletionRead = operation({
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
    readingAgentId(context, 'a payment or run is read by its agent')
    return { body: { ...rules, ...(await context.activations.read(moverOf(context), of)) } }
  },
})
