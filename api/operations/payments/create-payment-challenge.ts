import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Method, PaymentChallenge, QuoteId } from './shapes.ts'

/**
 * POST /api/agent-use, mode `create_payment_challenge`. Its success is the 402 envelope, a problem body with the
 * challenge in it; as every refusal it is worked out again when it is repeated, and then shows the one challenge as it stands.
 */
export const createPaymentChallenge = operation({
  id: 'create-payment-challenge',
  summary:
    'Open the one payment challenge of a quote; answers 402 with the challenge and the accepted methods.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  tool: 'create_payment_challenge',
  access: 'public',
  status: [402],
  errors: [
    'payment_required',
    'not_found',
    'quote_expired',
    'payment_pending',
    'already_funded',
    'holder_unknown',
    'unsupported_request',
  ],
  input: z.strictObject({
    mode: z.literal('create_payment_challenge'),
    quote_id: QuoteId,
    method: Method.optional().meta({
      description:
        'What reference_instructions are about; with ap2_mandate_reference also what the mandate’s holder presents.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .looseObject({ challenge: PaymentChallenge, accepted_methods: z.array(Method) })
    .meta({ id: 'PaymentRequired' }),
  handle: async ({ quote_id, method }, { payments }) => {
    const challenge = await payments.challenge(quote_id, method)
    const { accepted_methods, amount_usd, next_action } = challenge
    throw refuse('payment_required', {
      detail: `${amount_usd} usd are to be paid`,
      next_action,
      extra: { challenge, accepted_methods },
    })
  },
})
