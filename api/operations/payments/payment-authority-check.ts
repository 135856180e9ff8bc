import { z } from 'zod'
import { authorityRules } from '#domain/payments/payment-authority.ts'
import { Address, IdempotencyKey, text, WalletSignature } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { Authority, AuthorityType } from './authority-shapes.ts'
import { QuoteId, WalletId } from './shapes.ts'

const carriers = ['wallet_id', 'provider_session_id', 'wallet_proof'] as const

/** POST /api/payment-authority-layer: whether a quote may be paid in this way; no money moves here. */
export const paymentAuthorityCheck = operation({
  id: 'payment-authority-check',
  summary:
    'Ask whether a quote may be paid by a wallet, a provider’s session or a payment on chain; nothing is moved by it.',
  http: { method: 'POST', path: '/api/payment-authority-layer', host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:write'] },
  errors: [
    ...([
      'not_found',
      'not_owner',
      'proof_invalid',
      'control_denied',
      'payment_pending',
      'reference_already_used',
    ] as const),
    ...(['already_funded', 'quote_expired', 'challenge_expired'] as const),
  ],
  input: z
    .strictObject({
      authority_type: AuthorityType,
      quote_id: QuoteId,
      wallet_id: WalletId.optional(),
      provider_session_id: text(1, 200).optional(),
      wallet_proof: z
        .strictObject({
          wallet: Address,
          transaction_hash: z.string().regex(/^0x[0-9a-f]{64}$/),
          signature: WalletSignature,
        })
        .optional()
        .meta({
          description:
            'As a stablecoin_reference: the payer signs for the quote’s challenge and its transaction.',
        }),
      idempotency_key: IdempotencyKey,
    })
    .refine(
      (input) =>
        carriers.every(
          (name) =>
            (input[name] !== undefined) === (authorityRules[input.authority_type].needs === name),
        ),
      {
        message:
          'give exactly the one of wallet_id, provider_session_id and wallet_proof that the authority type needs',
      },
    )
    .meta({ oneOf: carriers.map((name) => ({ required: [name] })) }),
  output: Authority,
  handle: async ({ idempotency_key: _key, ...asked }, context) => {
    const agentId = callingAgentId(context)
    return { body: await context.authorities.check({ agentId, ...asked }) }
  },
})
