import { z } from 'zod'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { plainText } from '#domain/core/plain-text-field.ts'
import { confirmedBy, paymentPaths } from '#domain/payments/payment-reference.ts'
import { callerIn } from '../../caller.ts'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import {
  ChallengeId,
  Method,
  PaymentChallenge,
  PaymentReference,
  payment,
  QuoteId,
  quoteToken,
  ReferenceId,
  Verification,
} from '../../shapes/payments.ts'

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
    const challenge = await payments.challenge(quote_id, { method })
    const { accepted_methods, amount_usd, next_action } = challenge
    throw refuse('payment_required', {
      detail: `${amount_usd} usd are to be paid`,
      next_action,
      extra: { challenge, accepted_methods },
    })
  },
})

/** GET /api/agent-payment-rail: the ways of payment; with an id the caller's own payment reference. */
export const paymentRailRead = operation({
  id: 'payment-rail-read',
  summary: 'Read the ways of payment and who confirms each, or a payment reference of your own.',
  http: { method: 'GET', path: '/api/agent-payment-rail', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({ payment_reference_id: ReferenceId.optional() }),
  output: z
    .strictObject({
      posture: z.array(z.enum(['reference_based', 'provider_webhooks'])),
      payment_paths: z.array(z.enum(paymentPaths)),
      methods: z.array(z.strictObject({ method: Method, confirmed_by: z.array(z.string()) })),
      payment_reference: PaymentReference.nullable(),
      verification: Verification.nullable(),
    })
    .meta({ id: 'PaymentRail' }),
  handle: async ({ payment_reference_id }, context) => {
    const { posture, methods } = context.payments
    const rail = {
      posture: [...posture],
      payment_paths: [...paymentPaths],
      methods: methods.map((method) => ({ method, confirmed_by: [...confirmedBy[method]] })),
    }
    if (payment_reference_id === undefined)
      return { body: { ...rail, payment_reference: null, verification: null } }
    const agentId = callerIn(context).agentIdFor('a payment reference is read by its agent')
    return {
      body: {
        ...rail,
        ...(await context.payments.readReference(agentId, payment_reference_id)),
      },
    }
  },
})

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
    return { body: await context.payments.present(callerIn(context).payer, target, paid) }
  },
})

const Name = plainText(200)
/** The id of an event; one without a usable one, which is of no concern, is known by its content. */
const keyOf = (event: Record<string, unknown>): string =>
  Name.safeParse(event['event_id'] ?? event['id']).data ?? digestOf(event)

/** POST /api/agent-paid-callback-completion: a payment provider's signed event, stored first and then applied. */
export const providerEventReceive = operation({
  id: 'provider-event-receive',
  summary:
    'Receive a payment provider’s signed event; its amount has to be exactly the one that is owed.',
  http: { method: 'POST', path: '/api/agent-paid-callback-completion', host: 'base' },
  access: 'provider',
  limits: { addressPerMinute: 600, bodyBytes: limits.providerEventBytesMax },
  status: [202],
  idempotency: { kind: 'natural', key: keyOf },
  input: z.looseObject({}).meta({
    description:
      'event_id, type (payment.settled, payment.failed, payment.refunded, refund.failed, session.expired), provider_session_id or ' +
      'external_reference, challenge_id, amount_usd and currency; or an event as Stripe sends it.',
  }),
  output: z
    .strictObject({
      event_id: z
        .string()
        .nullable()
        .meta({ description: 'Null for an event of a type that says nothing about a payment.' }),
      accepted: z.boolean(),
      duplicate: z.boolean(),
    })
    .meta({ id: 'ReceivedEvent' }),
  handle: async (event, context) => ({
    body: await context.providers.receive(callerIn(context).signedEvent, event),
  }),
})
