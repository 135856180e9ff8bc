import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { payerOf } from '../agents/caller.ts'
import { payment } from './presented.ts'
import { ChallengeId, PaymentReference, QuoteId, quoteToken, Verification } from './shapes.ts'

/** POST /api/agent-payment-rail: a payment is presented, and funds what it pays for once it is confirmed. */
export const paymentReferenceCreate = operation({
  id: 'payment-reference-create',
  summary:
    'Present a payment for a challenge, in any of the seven methods; nothing is funded before it is confirmed.',
  http: { method: 'POST', path: '/api/agent-payment-rail', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st', 'wt'], signed: true },
  delegable: true,
  spendsUsd: ({ challenge_id, quote_id = '' }, context) =>
    challenge_id === undefined
      ? context.quotes.totalUsd(quote_id)
      : context.payments.owedUsd(challenge_id),
  status: [201],
  errors: [
    ...([
      'not_found',
      'not_owner',
      'proof_invalid',
      'payment_invalid',
      'control_denied',
      'payment_pending',
    ] as const),
    ...([
      'reference_already_used',
      'payment_already_used',
      'already_funded',
      'wallet_underfunded',
    ] as const),
    ...([
      'presentation_consumed',
      'challenge_consumed',
      'mandate_consumed',
      'holder_unknown',
    ] as const),
    ...([
      'authority_denied',
      'issuer_untrusted',
      'mandate_invalid',
      'key_binding_missing',
      'key_binding_invalid',
    ] as const),
    ...([
      'key_binding_expired',
      'audience_mismatch',
      'request_digest_mismatch',
      'quote_expired',
    ] as const),
    ...(['challenge_expired', 'expired', 'amount_mismatch', 'forbidden_material'] as const),
  ],
  limits: { bodyBytes: 65_536 },
  input: z
    .strictObject({
      challenge_id: ChallengeId.optional(),
      quote_id: QuoteId.optional(),
      ...quoteToken,
      ...payment,
      idempotency_key: IdempotencyKey,
    })
    .refine(
      ({ challenge_id, quote_id }) => (challenge_id === undefined) !== (quote_id === undefined),
      {
        message: 'give exactly one of challenge_id and quote_id',
      },
    )
    .meta({ oneOf: [{ required: ['challenge_id'] }, { required: ['quote_id'] }] }),
  output: z
    .strictObject({ payment_reference: PaymentReference, verification: Verification })
    .meta({ id: 'PresentedPayment' }),
  handle: async (
    { challenge_id, quote_id = '', quote_token, idempotency_key: _key, ...paid },
    context,
  ) => {
    const target =
      challenge_id === undefined ? { quote_id, quote_token } : { challenge_id, quote_token }
    return { body: await context.payments.present(payerOf(context), target, paid) }
  },
})
