import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { ExpiresAt, encodedText, IdempotencyKey, PayoutId, Signature } from '../../fields.ts'
import { answeredByWorkflow, operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { PayoutAnswer } from './payout-answer.ts'

/** POST /api/payout-authorize: authorizes a created payout. */
export const authorizePayout = operation({
  id: 'payout-authorize',
  summary:
    'Bind a treasury principal signature and an unused mandate presentation to exactly one created payout.',
  http: { method: 'POST', path: '/api/payout-authorize', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  errors: [
    'not_found',
    'wrong_state',
    'authority_denied',
    'holder_unknown',
    'issuer_untrusted',
    'mandate_invalid',
    'key_binding_missing',
    'key_binding_invalid',
    'key_binding_expired',
    'audience_mismatch',
    'request_digest_mismatch',
    'principal_signature_invalid',
    'presentation_consumed',
    'challenge_consumed',
    'mandate_consumed',
    'challenge_expired',
    'payout_expired',
    'forbidden_material',
  ],
  idempotency: { kind: 'body', keepsInput: true },
  input: z.strictObject({
    payout_id: PayoutId,
    idempotency_key: IdempotencyKey,
    presentation: encodedText(limits.presentationCharsMax),
    challenge_token: encodedText(limits.challengeTokenCharsMax),
    expires_at: ExpiresAt,
    principal_signature: Signature,
  }),
  output: PayoutAnswer,
  handle: async ({ payout_id }, context) => {
    await context.payouts.authorize(callingWallet(context), payout_id, context.callId)
    return answeredByWorkflow
  },
})
