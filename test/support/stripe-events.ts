import { randomBytes } from 'node:crypto'

/**
 * Events in the published form of Stripe's API (Event, Checkout Session, Charge and Dispute objects, version 2024-06-20), with the
 * members that Stripe sends and this service does not read.
 */
export type StripeEvent = ReturnType<typeof stripeEvent>

const id = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

export const stripeEvent = (
  type: string,
  object: Record<string, unknown>,
  created = 1_763_890_000,
) => ({
  id: id('evt'),
  object: 'event',
  api_version: '2024-06-20',
  created,
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: id('req'), idempotency_key: null },
  type,
})

export const paymentIntent = () => id('pi')

/** A checkout session that was paid by a link. */
export const checkoutSession = (more: Record<string, unknown> = {}) => ({
  id: id('cs_test'),
  object: 'checkout.session',
  after_expiration: null,
  allow_promotion_codes: null,
  amount_subtotal: 10_700,
  amount_total: 10_700,
  automatic_tax: { enabled: false, liability: null, status: null },
  billing_address_collection: null,
  client_reference_id: null,
  currency: 'usd',
  customer: null,
  customer_creation: 'if_required',
  customer_details: {
    address: null,
    email: 'payer@customer.example',
    name: null,
    phone: null,
    tax_exempt: 'none',
  },
  expires_at: 1_763_976_000,
  invoice: null,
  livemode: false,
  locale: 'auto',
  metadata: {},
  mode: 'payment',
  payment_intent: paymentIntent(),
  payment_link: 'plink_1PgafmB7WZ01zgkWvkQpfGhT',
  payment_method_types: ['card'],
  payment_status: 'paid',
  status: 'complete',
  submit_type: 'auto',
  success_url: 'https://customer.example/paid',
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  ui_mode: 'hosted',
  url: null,
  ...more,
})

/** A charge, which names its payment intent and no session. */
export const charge = (
  payment_intent: string | null,
  amount_refunded: number,
  amount = 10_700,
) => ({
  id: id('ch'),
  object: 'charge',
  amount,
  amount_captured: amount,
  amount_refunded,
  application: null,
  application_fee: null,
  balance_transaction: id('txn'),
  billing_details: {
    address: { country: 'US', postal_code: '10003' },
    email: null,
    name: null,
    phone: null,
  },
  calculated_statement_descriptor: 'SERVICE',
  captured: true,
  created: 1_763_880_000,
  currency: 'usd',
  customer: null,
  description: null,
  disputed: false,
  failure_code: null,
  fraud_details: {},
  invoice: null,
  livemode: false,
  metadata: {},
  outcome: {
    network_status: 'approved_by_network',
    risk_level: 'normal',
    risk_score: 14,
    type: 'authorized',
  },
  paid: true,
  payment_intent,
  payment_method: id('pm'),
  payment_method_details: { card: { brand: 'visa', last4: '4242', network: 'visa' }, type: 'card' },
  receipt_url: 'https://pay.stripe.com/receipts/payment/x',
  refunded: amount_refunded === amount,
  status: 'succeeded',
})

/** A refund of a charge. */
export const refund = (payment_intent: string | null, status: string, amount = 10_700) => ({
  id: id('re'),
  object: 'refund',
  amount,
  balance_transaction: id('txn'),
  charge: id('ch'),
  created: 1_763_885_000,
  currency: 'usd',
  destination_details: { card: { reference_status: 'pending', type: 'refund' }, type: 'card' },
  failure_balance_transaction: id('txn'),
  failure_reason: 'expired_or_canceled_card',
  metadata: {},
  payment_intent,
  reason: null,
  receipt_number: null,
  source_transfer_reversal: null,
  status,
  transfer_reversal: null,
})

/** A dispute of a charge. */
export const dispute = (
  payment_intent: string | null,
  status: string,
  more: Record<string, unknown> = {},
) => ({
  id: id('du'),
  object: 'dispute',
  amount: 10_700,
  balance_transactions: [
    {
      id: id('txn'),
      object: 'balance_transaction',
      amount: -10_700,
      currency: 'usd',
      description: 'Chargeback withdrawal',
      fee: 1_500,
      net: -12_200,
      reporting_category: 'dispute',
      type: 'adjustment',
    },
  ],
  charge: id('ch'),
  created: 1_763_885_000,
  currency: 'usd',
  enhanced_eligibility_types: [],
  evidence: {
    access_activity_log: null,
    customer_email_address: null,
    product_description: null,
    receipt: null,
  },
  evidence_details: {
    due_by: 1_764_800_000,
    has_evidence: false,
    past_due: false,
    submission_count: 0,
  },
  is_charge_refundable: false,
  livemode: false,
  metadata: {},
  payment_intent,
  payment_method_details: {
    card: { brand: 'visa', case_type: 'chargeback', network_reason_code: '10.4' },
    type: 'card',
  },
  reason: 'fraudulent',
  status,
  ...more,
})
