/** The methods by which a payment challenge can be paid. */
export const paymentMethods = [
  'hosted_checkout',
  'agent_allowance',
  'payment_reference',
  'invoice_reference',
  'stablecoin_reference',
  'x402_reference',
  'ap2_mandate_reference',
] as const
export type PaymentMethod = (typeof paymentMethods)[number]
