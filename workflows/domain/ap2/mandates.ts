import { z } from 'zod'
import { frequencies } from './calendar.ts'

/** The `vct` of each mandate of AP2 v0.2. */
export const vcts = {
  openCheckout: 'mandate.checkout.open.1',
  openPayment: 'mandate.payment.open.1',
  checkout: 'mandate.checkout.1',
  payment: 'mandate.payment.1',
} as const

/** Bounds that AP2 leaves open. */
export const ap2Limits = {
  textMax: 256,
  constraintsMax: 16,
  allowedMax: 32,
  itemsMax: 32,
  quantityMax: 1_000_000,
  mandateDaysMax: 90,
} as const
const { textMax, constraintsMax, allowedMax, itemsMax, quantityMax } = ap2Limits

const text = z.string().min(1).max(textMax)
const time = z.int().min(0).max(4_102_444_800)
const currency = z.string().regex(/^[A-Z]{3}$/)
const minor = z.int().min(0)
const list = <T extends z.ZodType>(item: T) => z.array(item).max(allowedMax)

/** A merchant; members that AP2 does not name are kept, and decide nothing. */
export const Merchant = z.looseObject({ id: text, name: text, website: text.optional() })
export type Merchant = z.output<typeof Merchant>
export const Amount = z.strictObject({ amount: minor, currency })
/** How a payment is made: `type` names the rail and `id` the account on it. */
export const PaymentInstrument = z.looseObject({
  id: text,
  type: text,
  description: text.optional(),
})
export type PaymentInstrument = z.output<typeof PaymentInstrument>
export const Pisp = z.looseObject({ legal_name: text, brand_name: text, domain_name: text })
export type Pisp = z.output<typeof Pisp>

// 32 bytes in base64url without padding; the last letter holds four bits, so its two low ones are zero.
const coordinate = z.string().regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/)
/** The P-256 key of the agent that may close a mandate. */
export const AgentKey = z.strictObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: coordinate,
  y: coordinate,
  kid: text.optional(),
  alg: z.literal('ES256').optional(),
  use: z.literal('sig').optional(),
})
const Confirmation = z.strictObject({ jwk: AgentKey })

// Constraints are strict: a member that is not understood could be one that restricts.
const allowedPayees = z.strictObject({
  type: z.literal('payment.allowed_payees'),
  allowed: list(Merchant),
})
const amountRange = z.strictObject({
  type: z.literal('payment.amount_range'),
  currency,
  max: minor,
  min: minor.optional(),
})
const budget = z.strictObject({
  type: z.literal('payment.budget'),
  max: z.number().min(0).max(Number.MAX_SAFE_INTEGER).meta({
    description: 'In major units: 1000.5 is 100050 cents.',
  }),
  currency,
})
const recurrence = z.strictObject({
  type: z.literal('payment.agent_recurrence'),
  frequency: z.enum(frequencies),
  max_occurrences: z.int().min(0).optional(),
})
const allowedInstruments = z.strictObject({
  type: z.literal('payment.allowed_payment_instruments'),
  allowed: list(PaymentInstrument),
})
const allowedPisps = z.strictObject({
  type: z.literal('payment.allowed_pisps'),
  allowed: list(Pisp),
})
const executionDate = z.strictObject({
  type: z.literal('payment.execution_date'),
  not_before: text.optional(),
  not_after: text.optional(),
})
const reference = z.strictObject({
  type: z.literal('payment.reference'),
  conditional_transaction_id: text,
})
/** The payment constraints that do not name the checkout. */
export const paymentConstraints = [
  recurrence,
  allowedPayees,
  allowedInstruments,
  allowedPisps,
  amountRange,
  budget,
  executionDate,
] as const
export const PaymentConstraint = z.discriminatedUnion('type', [...paymentConstraints, reference])
export type PaymentConstraint = z.output<typeof PaymentConstraint>

const allowedMerchants = z.strictObject({
  type: z.literal('checkout.allowed_merchants'),
  allowed: list(Merchant),
})
export const LineItemRequirement = z.strictObject({
  id: text,
  acceptable_items: list(z.strictObject({ id: text, title: text })),
  quantity: z.int().min(1).max(quantityMax),
})
export type LineItemRequirement = z.output<typeof LineItemRequirement>
const lineItems = z.strictObject({
  type: z.literal('checkout.line_items'),
  items: z.array(LineItemRequirement).min(1).max(itemsMax),
})
export const CheckoutConstraint = z.discriminatedUnion('type', [allowedMerchants, lineItems])
export type CheckoutConstraint = z.output<typeof CheckoutConstraint>

const hasOne = (type: string) => (constraints: readonly { type: string }[]) =>
  constraints.some((constraint) => constraint.type === type)
export const checkoutConstraintsAsked = z
  .array(CheckoutConstraint)
  .min(1)
  .max(constraintsMax)
  .refine(hasOne('checkout.line_items'), 'needs a checkout.line_items constraint')

const times = { iat: time.optional(), exp: time.optional() }

/** An open checkout mandate: what a checkout must be that the agent may close it with. */
export const OpenCheckoutMandate = z.looseObject({
  vct: z.literal(vcts.openCheckout),
  constraints: checkoutConstraintsAsked,
  cnf: Confirmation,
  ...times,
})
export type OpenCheckoutMandate = z.output<typeof OpenCheckoutMandate>

/** An open payment mandate; a member of the closed one that it names already must stay the same. */
export const OpenPaymentMandate = z.looseObject({
  vct: z.literal(vcts.openPayment),
  constraints: z
    .array(PaymentConstraint)
    .min(1)
    .max(constraintsMax)
    .refine(hasOne('payment.reference'), 'needs a payment.reference constraint'),
  cnf: Confirmation,
  payee: Merchant.optional(),
  payment_amount: Amount.optional(),
  payment_instrument: PaymentInstrument.optional(),
  pisp: Pisp.optional(),
  execution_date: text.optional(),
  ...times,
})
export type OpenPaymentMandate = z.output<typeof OpenPaymentMandate>

/** A closed checkout mandate: the checkout that the agent agrees to. */
export const CheckoutMandate = z.looseObject({
  vct: z.literal(vcts.checkout),
  checkout_jwt: z.string().min(1).max(8192),
  checkout_hash: text,
  cnf: z.never().optional(),
  ...times,
})
export type CheckoutMandate = z.output<typeof CheckoutMandate>

/** A closed payment mandate: one payment for one checkout. */
export const PaymentMandate = z.looseObject({
  vct: z.literal(vcts.payment),
  transaction_id: text,
  payee: Merchant,
  payment_amount: Amount,
  payment_instrument: PaymentInstrument,
  pisp: Pisp.optional(),
  execution_date: text.optional(),
  cnf: z.never().optional(),
  ...times,
})
export type PaymentMandate = z.output<typeof PaymentMandate>

/** The types of the payment instruments that settle here. */
const WALLET_TYPE = 'allowance_wallet'
const X402_TYPE = 'x402'

/** The rail that a payment mandate names: an allowance wallet, an x402 payment by an address, or one that settles nothing here. */
export type PaymentRail =
  | { readonly kind: 'wallet'; readonly walletId: string }
  | { readonly kind: 'x402'; readonly payer: string }
  | { readonly kind: 'none' }

export function railOf({ type, id }: PaymentInstrument): PaymentRail {
  if (type === WALLET_TYPE && /^aw_[0-9a-f]{64}$/.test(id)) return { kind: 'wallet', walletId: id }
  if (type === X402_TYPE && /^0x[0-9a-fA-F]{40}$/.test(id))
    return { kind: 'x402', payer: id.toLowerCase() }
  return { kind: 'none' }
}

/** Why a payment by a mandate that names another rail stays pending. */
export const settlesNothing = 'the mandate names no rail that settles here'
