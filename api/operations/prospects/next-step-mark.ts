import { z } from 'zod'
import { prospectExamples } from '../../examples/prospects.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorCall } from '../operators/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { PaymentChallenge, Quoted, Tier } from '../payments/shapes.ts'
import { NEXT_STEP_PATH } from './next-step-shapes.ts'
import { Prospect, ProspectId } from './shapes.ts'

/** POST /api/paid-next-step-pack: an offer makes a prospect ready; that it has paid is never recorded. */
export const paidNextStepMark = operation({
  id: 'paid-next-step-mark',
  summary:
    'Offer a prospect its paid next step after delivered work: a quote for its agent, with the challenge that pays it.',
  http: { method: 'POST', path: NEXT_STEP_PATH, host: 'base' },
  access: 'operator',
  errors: [
    'not_found',
    'not_ready',
    'wrong_state',
    'unsupported_request',
    'quote_expired',
    'already_funded',
    'payment_pending',
    'forbidden_material',
  ],
  input: z.strictObject({
    prospect_id: ProspectId,
    to: z.literal('paid_next_step_ready'),
    tier: Tier,
    note: freeText(1000, 1).optional(),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      prospect: Prospect,
      quote: Quoted.shape.quote,
      challenge: PaymentChallenge,
      receipt: Receipt,
    })
    .meta({ id: 'OfferedNextStep' }),
  example: prospectExamples['paid-next-step-mark'],
  handle: async ({ prospect_id, tier, note }, context) => ({
    body: await context.nextSteps.offer({ prospect_id, tier, note }, operatorCall(context)),
  }),
})
