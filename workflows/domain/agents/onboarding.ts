/** The steps of self-onboarding, in their order. */
export const selfOnboarding = [
  'submit_manifest',
  'receive_trust_state',
  'use_status_url',
  'request_quote',
  'prepare_run_contract',
  'submit_agent_run',
] as const
/** The steps of access key delivery, in their order; SQL has the same order. */
export const accessKeyDelivery = [
  'trust_approved',
  'credential_envelope_created',
  'access_key_scoped',
  'callback_or_contact_delivery',
  'rotation_ready',
  'gateway_ready',
] as const

export type DeliveryStep = (typeof accessKeyDelivery)[number]
export type Step = (typeof selfOnboarding)[number] | DeliveryStep

/** Both sequences in their order, each step with whether it is known to be done. */
export function stepsOf(done: ReadonlySet<Step>): { step: Step; done: boolean }[] {
  return [...selfOnboarding, ...accessKeyDelivery].map((step) => ({ step, done: done.has(step) }))
}
