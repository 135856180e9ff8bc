import { z } from 'zod'
import { authorityRules } from '#domain/payments/payment-authority.ts'
import { authorityTypes } from '#domain/payments/payment-reference.ts'
import { callerIn } from '../../caller.ts'
import { Address, IdempotencyKey, text, WalletSignature } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Method, PaymentReference, QuoteId, ReferenceId, WalletId } from '../../shapes/payments.ts'

const usd = z.int().min(0)
const AuthorityType = z.enum(authorityTypes)

/** The current state of a payment authority: a payment reference that moves no money by itself. */
const Authority = z
  .strictObject({
    authority_type: AuthorityType,
    decision: z.enum(['authorized', 'needs_provider', 'denied']),
    reasons: z.array(z.string()).meta({ description: 'What speaks against it.' }),
    amount_usd: usd,
    payment_reference: PaymentReference.nullable().meta({
      description: 'Null where nothing was presented, as it is denied.',
    }),
    limits_left: z.strictObject({
      agent_usd: usd
        .nullable()
        .meta({ description: 'What an operator lets the agent spend at once.' }),
      wallet: z
        .strictObject({ per_run_usd: usd.nullable(), day_usd: usd.nullable(), balance_usd: usd })
        .nullable()
        .meta({ description: 'Of an allowance wallet; null is no limit.' }),
    }),
  })
  .meta({ id: 'PaymentAuthority' })

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
    const agentId = callerIn(context).requiredAgentId
    return { body: await context.authorities.check({ agentId, ...asked }) }
  },
})

const contract = {
  authority_types: [...authorityTypes],
  rules: authorityTypes.map((authority_type) => ({
    authority_type,
    ...authorityRules[authority_type],
  })),
}

/** GET /api/payment-authority-layer: the kinds of authority and their rules; with an id the agent's own authority. */
export const paymentAuthorityRead = operation({
  id: 'payment-authority-read',
  summary:
    'Read the kinds of payment authority and what each rests on, or how one of your own stands now.',
  http: { method: 'GET', path: '/api/payment-authority-layer', host: 'base' },
  access: ['agent', 'public'],
  needs: { scopes: ['runs:read'] },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({ payment_reference_id: ReferenceId.optional() }),
  output: z
    .strictObject({
      authority_types: z.array(AuthorityType),
      rules: z.array(
        z.strictObject({
          authority_type: AuthorityType,
          hosted_by: z.enum(['provider', 'service', 'wallet_owner']),
          needs: z.string(),
          method: Method,
          rule: z.string(),
        }),
      ),
      authority: Authority.nullable(),
    })
    .meta({ id: 'PaymentAuthorityRead' }),
  handle: async ({ payment_reference_id }, context) => {
    if (payment_reference_id === undefined) return { body: { ...contract, authority: null } }
    const agentId = callerIn(context).agentIdFor('an authority is read by its agent')
    const authority = await context.authorities.read(agentId, payment_reference_id)
    return { body: { ...contract, authority } }
  },
})
