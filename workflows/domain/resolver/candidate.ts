import { digestOf } from '../core/canonical-json.ts'
import { eventsOf, type StateTable } from '../core/state-table.ts'
import type { Decision } from '../reviews/review.ts'

/** A service of someone else, as its sender describes it. */
export type Candidate = {
  name: string
  url: string
  description?: string | undefined
  protocols: string[]
  schema?: Record<string, unknown> | undefined
}

export const candidateStates = ['observed', 'approved', 'denied'] as const
export type CandidateState = (typeof candidateStates)[number]

/** The id of a candidate: the same description is the same candidate. */
export const candidateId = (candidate: Candidate): string =>
  `cand_${digestOf({ type: 'service.candidate.v1', ...candidate })}`

/** The state table of a candidate. */
export const candidateTransitions: StateTable<CandidateState, Decision> = {
  observed: { approve: 'approved', reject: 'denied' },
  approved: { reject: 'denied' },
  denied: {},
}

/** The decisions about a candidate. Only what was read can be approved. */
export function candidateDecisions(state: CandidateState, wasRead: boolean): Decision[] {
  return eventsOf(candidateTransitions, state).filter(
    (decision) => decision !== 'approve' || wasRead,
  )
}

/** What an inspection decides for callers. */
export const inspectionDecisions = ['allowed', 'denied', 'human_approval_required'] as const
export type InspectionDecision = (typeof inspectionDecisions)[number]

export const decisionOn: Readonly<Record<CandidateState, InspectionDecision>> = {
  observed: 'human_approval_required',
  approved: 'allowed',
  denied: 'denied',
}

/** How a service that may be used is used. */
export const useDecisions = ['accepted_for_review', 'direct_free_tool', 'quote_required'] as const
export type UseDecision = (typeof useDecisions)[number]

/** What a service is to its callers. */
export const serviceKinds = ['rail', 'work_order', 'free_tool', 'candidate'] as const
export type ServiceKind = (typeof serviceKinds)[number]
