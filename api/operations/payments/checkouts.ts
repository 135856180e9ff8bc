import { z } from 'zod'
import { paymentPaths } from '#domain/payments/payment-reference.ts'
import { pilotStates } from '#domain/pilots/pilot.ts'
import { callerIn } from '../../caller.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../../shapes/agents.ts'
import {
  ChallengeId,
  LinkCell,
  PaymentChallenge,
  ProductCard,
  QuoteId,
  Tier,
} from '../../shapes/payments.ts'
import { PilotId, PilotToken } from '../../shapes/pilots.ts'
import { Receipt } from '../../shapes/receipts.ts'

/**
 * POST /api/agent-rail-checkout: opens the challenge of a quote for a customer and shows how this path pays it. Anyone may open it;
 * one that activates the pilot of an invitation is opened by the agent of the quote.
 */
export const railCheckoutOpen = operation({
  id: 'rail-checkout-open',
  summary:
    'Open the checkout of a quote for a customer, by a hosted page, an invoice, credit or a reference.',
  http: { method: 'POST', path: '/api/agent-rail-checkout', host: 'base' },
  access: 'public',
  status: [201],
  errors: [
    ...(['credential_required', 'scope_denied', 'not_owner', 'trust_required'] as const),
    'not_found',
    'wrong_state',
    'quote_expired',
    'quote_mismatch',
    'invitation_expired',
    'payment_pending',
    'already_funded',
    'forbidden_material',
  ],
  input: z.strictObject({
    quote_id: QuoteId,
    payment_path: z.enum(paymentPaths),
    customer: z.strictObject({
      name: freeText(160, 1),
      email: z.email().max(254),
      purchase_order: freeText(80, 1).optional(),
    }),
    invitation_token: PilotToken.optional().meta({
      description:
        'Of an accepted invitation: the checkout activates the pilot, with the access key of the agent of the quote (runs:write).',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      challenge: PaymentChallenge,
      reference_instructions: z.string(),
      pilot: z
        .strictObject({ pilot_id: PilotId, state: z.enum(pilotStates) })
        .optional()
        .meta({ description: 'Of the invitation.' }),
    })
    .meta({ id: 'OpenedCheckout' }),
  handle: async ({ idempotency_key: _key, invitation_token: token, ...asked }, context) => {
    const detail = 'the checkout of a pilot is opened by the agent of its quote'
    const invited =
      token === undefined
        ? undefined
        : { token, agentId: callerIn(context).scopedAgentId('runs:write', detail) }
    return {
      body: await context.checkouts.open({ callId: context.callId, ...asked, invited }),
    }
  },
})

/** GET /api/agent-rail-checkout: what can be bought and where; with an id the agent's own challenge. */
export const railCheckoutRead = operation({
  id: 'rail-checkout-read',
  summary:
    'Read what each rail and tier costs and where it is paid, or a payment challenge of your own.',
  http: { method: 'GET', path: '/api/agent-rail-checkout', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st'], signed: false },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({
    rail: Rail.optional(),
    tier: Tier.optional(),
    challenge_id: ChallengeId.optional(),
  }),
  output: z
    .strictObject({ product_cards: z.array(ProductCard), challenge: PaymentChallenge.nullable() })
    .meta({ id: 'RailCheckout' }),
  handle: async ({ challenge_id, ...only }, context) => {
    const product_cards = await context.productLinks.cards(only)
    if (challenge_id === undefined) return { body: { product_cards, challenge: null } }
    const agentId = callerIn(context).agentIdFor('a challenge is read by its agent')
    const challenge = await context.checkouts.readChallenge(agentId, challenge_id)
    return { body: { product_cards, challenge } }
  },
})

/** GET /api/payment-link-configuration-sprint. */
export const paymentLinksRead = operation({
  id: 'payment-links-read',
  summary:
    'Read which hosted pages are set, what the last look at each found, and how many are left.',
  http: { method: 'GET', path: '/api/payment-link-configuration-sprint', host: 'base' },
  access: 'operator',
  input: z.strictObject({ rail: Rail.optional() }),
  output: z
    .strictObject({ cells: z.array(LinkCell), done: z.int().min(0), left: z.int().min(0) })
    .meta({ id: 'PaymentLinks' }),
  handle: async (only, { productLinks }) => ({
    body: await productLinks.cells(only),
  }),
})

/** POST /api/payment-link-configuration-sprint: sets or removes the hosted page of a rail and tier, and checks it. */
export const paymentLinksSet = operation({
  id: 'payment-links-set',
  summary:
    'Set the hosted page of a rail and tier at exactly the quote’s total, or remove it; the page is looked at once.',
  http: { method: 'POST', path: '/api/payment-link-configuration-sprint', host: 'base' },
  access: 'operator',
  errors: ['unsupported_request', 'amount_mismatch'],
  input: z.strictObject({
    rail: Rail,
    tier: Tier,
    url: z
      .url({ protocol: /^https$/ })
      .max(2048)
      .nullable(),
    provider_price_usd: z.int().min(1).max(1_000_000),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      cell: LinkCell,
      check: z.strictObject({ reachable: z.boolean(), price_matches: z.boolean() }),
      receipt: Receipt,
    })
    .meta({ id: 'SetPaymentLink' }),
  handle: async ({ idempotency_key: _key, ...link }, context) => {
    const set = { callId: context.callId, operator: callerIn(context).namedOperator, ...link }
    return { body: await context.productLinks.set(set) }
  },
})

/** GET /api/diligenceops-payment-product-links: the cards of the checkout, of one rail. */
export const diligenceProductLinks = operation({
  id: 'diligence-product-links',
  summary: 'Read where each tier of diligenceops is paid.',
  http: { method: 'GET', path: '/api/diligenceops-payment-product-links', host: 'base' },
  access: 'public',
  input: z.strictObject({ tier: Tier.optional() }),
  output: z
    .strictObject({ product_cards: z.array(ProductCard) })
    .meta({ id: 'DiligenceProductLinks' }),
  handle: async ({ tier }, { productLinks }) => ({
    body: { product_cards: await productLinks.cards({ rail: 'diligenceops', tier }) },
  }),
})
