import { refuse } from '../core/errors.ts'
import { type Decision, decisions } from '../reviews/review.ts'

/** How far an agent is trusted; a sandbox agent has a track of its own, on which nothing is decided. */
export const trustStates = [
  'submitted',
  'under_review',
  'trusted',
  'rejected',
  'suspended',
  'sandbox_trusted',
] as const
export type TrustState = (typeof trustStates)[number]

/** The states that a decision passes through. An approval without an earlier review counts as the review. */
const decided: Readonly<
  Record<TrustState, Partial<Record<Decision, readonly [TrustState, ...TrustState[]]>>>
> = {
  submitted: {
    approve: ['under_review', 'trusted'],
    reject: ['under_review', 'rejected'],
    hold: ['under_review'],
  },
  under_review: { approve: ['trusted'], reject: ['rejected'] },
  trusted: { hold: ['suspended'] },
  rejected: {},
  suspended: { approve: ['trusted'] },
  sandbox_trusted: {},
}

/** The decisions that an agent in this state can still get. */
export function allowedDecisions(state: TrustState): Decision[] {
  return decisions.filter((decision) => decided[state][decision] !== undefined)
}

/** The states that the decision leads through, the last of which stays; throws 409 `wrong_state` with the decisions allowed. */
export function trustAfter(
  state: TrustState,
  decision: Decision,
): readonly [TrustState, ...TrustState[]] {
  const path = decided[state][decision]
  if (path !== undefined) return path
  const allowed = allowedDecisions(state)
  throw refuse('wrong_state', {
    detail: `the agent is ${state}`,
    next_action:
      allowed.length === 0 ? 'Nothing is left to decide.' : `Decide one of ${allowed.join(', ')}.`,
    extra: { state, allowed_decisions: allowed },
  })
}

/** Whether an agent in this state may act with its credential. */
export const mayAct = (state: TrustState): boolean =>
  state === 'trusted' || state === 'sandbox_trusted'

/** Whether an operator has trusted this agent; a sandbox agent acts without trust. */
export const isTrusted = (agent: { sandbox: boolean; trust_state: TrustState }): boolean =>
  !agent.sandbox && mayAct(agent.trust_state)

/** Whether a decision about this agent is waited for. */
export const isWaiting = (state: TrustState): boolean =>
  state === 'submitted' || state === 'under_review'
