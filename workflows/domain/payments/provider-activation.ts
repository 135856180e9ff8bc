/** What follows from a payment provider's event, in its order. */
export const activationSteps = [
  'provider_event',
  'webhook_verification',
  'provider_confirmation',
  'credit_funding_event',
  'settlement_receipt',
  'run_eligibility',
  'result_contract',
  'callback',
] as const
export type ActivationStep = (typeof activationSteps)[number]
