/** The checks of a commerce proof, in their order. */
export const commerceChecks = [
  'hashes',
  'required_items',
  'claims',
  'policy',
  'evidence_age',
  'evidence_owner',
  'payment',
  'authority',
  'protocol',
  'duplicates',
] as const
export type CommerceCheckName = (typeof commerceChecks)[number]

export const checkOutcomes = ['passed', 'failed', 'unverified', 'not_needed'] as const

/** `reason` is a code, null where nothing is wrong. */
export type Result = {
  readonly outcome: (typeof checkOutcomes)[number]
  readonly reason: string | null
  readonly detail: string
}
export type CommerceCheck = Result & { readonly check: CommerceCheckName }

export const passed = (detail: string): Result => ({ outcome: 'passed', reason: null, detail })
export const failed = (reason: string, detail: string): Result => ({
  outcome: 'failed',
  reason,
  detail,
})
export const unverified = (reason: string, detail: string): Result => ({
  outcome: 'unverified',
  reason,
  detail,
})
export const notNeeded = (detail: string): Result => ({
  outcome: 'not_needed',
  reason: null,
  detail,
})
