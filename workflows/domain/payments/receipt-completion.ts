export const movementTypes = ['settlement', 'usage', 'refund', 'adjustment'] as const
export type MovementType = (typeof movementTypes)[number]

export const completionStates = [
  'completed',
  'awaiting_provider',
  'unmatched',
  'synthetic',
] as const
export type CompletionState = (typeof completionStates)[number]

/** The reference that a caller names, as the records have it. */
export type CompletionFacts = {
  readonly state: string
  /** Its settlement receipt is verified, and the ledger posted its whole amount under it. */
  readonly isProven: boolean
}

/** A provider settles and refunds; uses and adjustments are no movements of a provider. */
const endedBy: Readonly<Partial<Record<MovementType, string>>> = {
  settlement: 'verified',
  refund: 'refunded',
}
const awaiting: Readonly<Partial<Record<MovementType, readonly string[]>>> = {
  settlement: ['presented', 'pending', 'verified', 'disputed'],
  refund: ['verified', 'disputed', 'refunded'],
}

/** How far a movement is complete; null facts: no payment of the caller has this name. */
export function completionOf(type: MovementType, facts: CompletionFacts | null): CompletionState {
  if (facts === null) return 'unmatched'
  if (facts.state === endedBy[type] && facts.isProven) return 'completed'
  return awaiting[type]?.includes(facts.state) === true ? 'awaiting_provider' : 'unmatched'
}

/** What may follow. */
export function afterCompletion(completion: CompletionState) {
  const retry_available = completion === 'awaiting_provider'
  return {
    state: retry_available ? ('retry_available' as const) : ('recorded' as const),
    retry_available,
    handoff_ready: completion === 'completed',
    next_endpoint: nextEndpoints[completion],
  }
}

const nextEndpoints: Readonly<Record<CompletionState, string>> = {
  completed: '/api/agent-commerce-proof',
  awaiting_provider: '/api/provider-receipt-completion',
  unmatched: '/api/agent-payment-rail',
  synthetic: '/api/agent-payment-rail',
}
