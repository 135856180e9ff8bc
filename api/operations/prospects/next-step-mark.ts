import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorCall } from '../operators/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { PaymentChallenge, Quoted, Tier } from '../payments/shapes.ts'
import { Pilot } from '../pilots/shapes.ts'
import { PilotId } from '../pilots/token.ts'
import { NEXT_STEP_PATH } from './next-step-shapes.ts'
import { Prospect, ProspectId } from './shapes.ts'

/** POST /api/paid-next-step-pack: an offer makes a prospect or a pilot ready; that it has paid is never recorded. */
export const paidNextStepMark = operation({
  id: 'paid-next-step-mark',
  summary:
    'Offer a prospect or a pilot its paid next step after delivered work: a quote for its agent, with the challenge that pays it.',
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
  input: z
    .strictObject({
      prospect_id: ProspectId.optional(),
      pilot_id: PilotId.optional(),
      to: z.literal('paid_next_step_ready'),
      tier: Tier,
      note: freeText(1000, 1).optional(),
      idempotency_key: IdempotencyKey,
    })
    .refine((given) => (given.prospect_id === undefined) !== (given.pilot_id === undefined), {
      message: 'name a prospect_id or a pilot_id, and not both',
    }),
  output: z
    .strictObject({
      prospect: Prospect.nullable(),
      pilot: Pilot.nullable().meta({
        description:
          'The pilot that is ready: the one named, or the delivered one of the prospect.',
      }),
      quote: Quoted.shape.quote,
      challenge: PaymentChallenge,
      receipt: Receipt,
    })
    .meta({ id: 'OfferedNextStep' }),
  handle: async ({ to: _to, idempotency_key: _key, ...offered }, context) => ({
    body: await context.nextSteps.offer(offered, operatorCall(context)),
  }),
})
