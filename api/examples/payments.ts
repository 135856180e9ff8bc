import { paidSurfaces } from '#domain/credit/pricing.ts'
import { addresses, BASE_URL, digests, ids, tokens } from './ids.ts'
import { receiptOf } from './receipts.ts'
import { packetopsTiers } from './tiers.ts'

const lines = [
  { item: 'packetops standard', usd: 99 },
  { item: 'micro_routing_fee', usd: 8 },
] as const

export const quote = {
  quote_id: ids.quote,
  rail: 'packetops',
  tier: 'standard',
  units: 1,
  base_usd: 99,
  rail_fee_usd: 8,
  total_usd: 107,
  currency: 'usd',
  pricing_model: 'free_tools_movement_fee',
  provider_route: {
    route_id: 'route_packetops',
    provider: `${BASE_URL}/api/trust-contract`,
    service_id: 'svc_packetops',
  },
  tier_terms: packetopsTiers.standard,
  expires_at: '2026-11-25T09:00:00.000Z',
} as const

const quoted = { quote, lines } as const
/** As one gets it who asks without a credential. */
const quotedToAnyone = { ...quoted, quote_token: tokens.quote } as const

const methods = [
  'agent_allowance',
  'payment_reference',
  'invoice_reference',
  'stablecoin_reference',
  'x402_reference',
  'ap2_mandate_reference',
] as const

const paths = [
  'hosted_checkout_link',
  'invoice_or_purchase_order',
  'agent_credit',
  'manual_operator_verified_reference',
] as const

/** The one challenge of the quote, open. */
export const challenge = {
  challenge_id: ids.challenge,
  quote_id: ids.quote,
  entitlement_id: ids.entitlement,
  state: 'open',
  amount_usd: 107,
  currency: 'usd',
  accepted_methods: methods,
  payment_paths: paths,
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:8453',
      asset: addresses.usdc,
      amount: '107000000',
      payTo: addresses.payoutWallet,
      maxTimeoutSeconds: 300,
    },
  ],
  checkout_url: null,
  reference_instructions: `Pay exactly 107 usd, then name the payment at POST ${BASE_URL}/api/agent-payment-rail.`,
  expires_at: '2026-11-24T10:00:00.000Z',
  next_action: 'Pay it by one of the accepted methods and present the payment.',
  mandate: null,
} as const

/** An invoice that was paid and that an operator confirmed. */
export const paymentReference = {
  payment_reference_id: ids.reference,
  method: 'invoice_reference',
  external_reference: 'INV-2026-0042',
  amount_usd: 107,
  challenge_id: ids.challenge,
  entitlement_id: ids.entitlement,
  wallet_id: null,
  state: 'verified',
  reason: null,
  evidence_sha256: digests.evidence,
  decided_by: `operator:${ids.operator}`,
  settlement_receipt_id: ids.settlementReceipt,
} as const

const presented = {
  ...paymentReference,
  state: 'presented',
  reason: 'an operator confirms it, or a signed event of the provider',
  decided_by: null,
  settlement_receipt_id: null,
} as const

export const verification = {
  how: 'the payment provider’s signed event, or an operator who looked at the account',
  by: ['operator', 'provider'],
  next_poll_ms: 5000,
} as const

const cards = [
  {
    rail: 'diligenceops',
    tier: 'standard',
    total_usd: 215,
    link_state: 'rail_checkout',
    url: `${BASE_URL}/api/agent-rail-checkout?rail=diligenceops&tier=standard`,
  },
] as const

const linkCell = {
  rail: 'packetops',
  tier: 'standard',
  link: 'https://pay.example.com/packetops-standard',
  checked_at: '2026-11-24T08:00:00.000Z',
  state: 'live',
} as const

const authority = {
  authority_type: 'agent_allowance_reference',
  decision: 'authorized',
  reasons: [],
  amount_usd: 107,
  payment_reference: { ...presented, method: 'agent_allowance', wallet_id: ids.allowance },
  limits_left: {
    agent_usd: 500,
    wallet: { per_run_usd: 250, day_usd: 393, balance_usd: 500 },
  },
} as const

/** A quote of 107 usd for a packetops run, and the ways to pay it. */
export const paymentExamples = {
  'agent-pricing': {
    input: { rail: 'packetops', surface: 'agent' },
    output: {
      currency: 'usd',
      pricing_model: null,
      rails: [
        {
          rail: 'packetops',
          status: 'active',
          entry: 49,
          standard: 99,
          pro: 249,
          rail_fee: 8,
          totals: { entry: 49, standard: 107, pro: 269 },
          paid_surfaces: [...paidSurfaces],
          tiers: packetopsTiers,
        },
      ],
      fee_rule: '8 % of the tier price, rounded to whole usd, on standard and pro; none on entry',
      quote_how:
        'Ask for a quote before a payment reference or a run: only a quote fixes a price, for 24 hours.',
    },
  },
  'agent-pricing-quote': {
    input: { rail: 'packetops', tier: 'standard', idempotency_key: 'packet-q4-quote' },
    output: quotedToAnyone,
  },
  'agent-quote-read': { input: { quote_id: ids.quote }, output: { quote, lines, state: 'live' } },
  'agent-quote': {
    input: {
      rail: 'packetops',
      tier: 'standard',
      units: 1,
      idempotency_key: 'packet-q4-quote',
    },
    output: quoted,
  },
  'quote-run': {
    input: {
      mode: 'quote_run',
      rail: 'packetops',
      tier: 'standard',
      idempotency_key: 'packet-q4-quote',
    },
    output: quotedToAnyone,
  },
  'create-payment-challenge': {
    input: {
      mode: 'create_payment_challenge',
      quote_id: ids.quote,
      idempotency_key: 'packet-q4-pay',
    },
    output: {
      type: `${BASE_URL}/problems/payment_required`,
      title: 'Payment is required',
      status: 402,
      code: 'payment_required',
      detail: '107 usd are to be paid',
      next_action: challenge.next_action,
      challenge,
      accepted_methods: methods,
    },
  },
  'payment-rail-read': {
    input: { payment_reference_id: ids.reference },
    output: {
      posture: ['reference_based', 'provider_webhooks'],
      payment_paths: paths,
      methods: [
        { method: 'invoice_reference', confirmed_by: ['operator', 'provider'] },
        { method: 'x402_reference', confirmed_by: ['payment'] },
      ],
      payment_reference: paymentReference,
      verification,
    },
  },
  'payment-reference-create': {
    input: {
      challenge_id: ids.challenge,
      method: 'invoice_reference',
      external_reference: 'INV-2026-0042',
      payer: 'Northwind GmbH',
      evidence: { sha256: digests.evidence, url: 'https://files.northwind.example/inv-0042.pdf' },
      idempotency_key: 'packet-q4-present',
    },
    output: { payment_reference: presented, verification },
  },
  'provider-event-receive': {
    input: {
      event_id: 'evt_3QK7aZ2eRw',
      type: 'payment.settled',
      provider_session_id: 'cs_live_a1B2c3',
      challenge_id: ids.challenge,
      amount_usd: 107,
      currency: 'usd',
    },
    output: { event_id: 'evt_3QK7aZ2eRw', accepted: true, duplicate: false },
  },
  'payment-authority-read': {
    input: { payment_reference_id: ids.reference },
    output: {
      authority_types: ['agent_allowance_reference'],
      rules: [
        {
          authority_type: 'agent_allowance_reference',
          hosted_by: 'service',
          needs: 'wallet_id',
          method: 'agent_allowance',
          rule: 'The agent’s own allowance wallet covers the total, within its limits for a run, a day and the rail.',
        },
      ],
      authority,
    },
  },
  'payment-authority-check': {
    input: {
      authority_type: 'agent_allowance_reference',
      quote_id: ids.quote,
      wallet_id: ids.allowance,
      idempotency_key: 'packet-q4-authority',
    },
    output: authority,
  },
  'rail-checkout-read': {
    input: { rail: 'diligenceops', tier: 'standard' },
    output: { product_cards: cards, challenge: null },
  },
  'rail-checkout-open': {
    input: {
      quote_id: ids.quote,
      payment_path: 'invoice_or_purchase_order',
      customer: {
        name: 'Northwind GmbH',
        email: 'accounts@northwind.example',
        purchase_order: 'PO-7731',
      },
      idempotency_key: 'packet-q4-checkout',
    },
    output: {
      challenge,
      reference_instructions: 'Pay the invoice of exactly 107 usd and name its number.',
    },
  },
  'diligence-product-links': { input: { tier: 'standard' }, output: { product_cards: cards } },
  'payment-links-read': {
    input: { rail: 'packetops' },
    output: { cells: [linkCell], done: 1, left: 2 },
  },
  'payment-links-set': {
    input: {
      rail: 'packetops',
      tier: 'standard',
      url: 'https://pay.example.com/packetops-standard',
      provider_price_usd: 107,
      idempotency_key: 'link-packetops-standard',
    },
    output: {
      cell: linkCell,
      check: { reachable: true, price_matches: true },
      receipt: receiptOf('control_change', ids.change, {
        rail: 'packetops',
        tier: 'standard',
        url: 'https://pay.example.com/packetops-standard',
        provider_price_usd: 107,
        operator_id: ids.operator,
        operator_name: 'Lena Brandt',
        currency: 'usd',
      }),
    },
  },
} as const
