import { z } from 'zod'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import {
  ActionLine,
  AnyMandateId,
  DecisionLine,
  FiringLine,
  GrantLine,
  mandateLine,
} from './mandate-shapes.ts'

const Payment = z
  .strictObject({
    payment_reference_id: z.string(),
    state: z.string(),
    amount: z.string().meta({ description: 'In major units.' }),
    currency: z.string(),
    instrument_type: z.string(),
    instrument_id: z.string(),
    paid_at: Time,
  })
  .meta({ id: 'MandatePayment' })

/** GET /api/operator/mandates/{mandate_id}: one mandate with its decisions, grants and actions. */
export const mandateRead = operation({
  id: 'mandate-read',
  summary:
    'Read one mandate: its terms, what is left, and every decision, grant, action and charged firing.',
  http: { method: 'GET', path: '/api/operator/mandates/{mandate_id}', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({ mandate_id: AnyMandateId }),
  output: z
    .strictObject({
      ...mandateLine,
      revocation: z.strictObject({ at: Time, by: z.string(), reason: z.string() }).nullable(),
      document: z.looseObject({}).nullable().meta({
        description:
          'The terms as they were issued, those of AP2 decoded; what a payout is for; null for one of another issuer.',
      }),
      decisions: z.array(DecisionLine).meta({ description: 'The last 50, the newest first.' }),
      grants: z.array(GrantLine).meta({ description: 'The last 50, the newest first.' }),
      actions: z.array(ActionLine).meta({ description: 'The last 50, the newest first.' }),
      firings: z.array(FiringLine).meta({
        description: 'Of delegated workflows, charged to it: the last 50, the newest first.',
      }),
      payments: z
        .array(Payment)
        .meta({ description: 'Under a mandate of AP2: the last 50, the newest first.' }),
    })
    .meta({ id: 'MandateDetail' }),
  handle: async ({ mandate_id }, context) => ({
    body: await context.mandateViews.read(mandate_id),
  }),
})
