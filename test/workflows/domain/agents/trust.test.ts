import { expect, test } from 'vitest'
import {
  allowedDecisions,
  isWaiting,
  mayAct,
  type TrustState,
  trustAfter,
  trustStates,
} from '#domain/agents/trust.ts'
import { DomainError } from '#domain/core/errors.ts'
import { type Decision, decisions } from '#domain/reviews/review.ts'
import { trustMoves } from '../../../support/moves.ts'
import { verifies } from '../../../verifies.ts'

// Written down by hand: the state that a decision ends in, and nothing for every other pair.
const ends: Partial<Record<`${TrustState} ${Decision}`, TrustState>> = {
  'submitted approve': 'trusted',
  'submitted reject': 'rejected',
  'submitted hold': 'under_review',
  'under_review approve': 'trusted',
  'under_review reject': 'rejected',
  'trusted hold': 'suspended',
  'suspended approve': 'trusted',
}

verifies(
  'agent.trust.table',
  'each of the 24 pairs of state and decision follows the table',
  () => {
    for (const state of trustStates) {
      for (const decision of decisions) {
        const end = ends[`${state} ${decision}`]
        if (end === undefined)
          expect(() => trustAfter(state, decision), `${state} ${decision}`).toThrow(DomainError)
        else expect(trustAfter(state, decision).at(-1), `${state} ${decision}`).toBe(end)
      }
    }
  },
)

verifies(
  'agent.trust.table',
  'a decision takes only moves of the trust table, one after the other',
  () => {
    for (const state of trustStates) {
      for (const decision of allowedDecisions(state)) {
        trustAfter(state, decision).reduce<TrustState>((from, to) => {
          expect(trustMoves[from], `${from} to ${to}`).toContain(to)
          return to
        }, state)
      }
    }
  },
)

test('a refusal names the state and what can be decided', () => {
  const refused = (state: TrustState, decision: Decision) => {
    try {
      return trustAfter(state, decision)
    } catch (error) {
      return (error as DomainError).refusal
    }
  }
  expect(refused('trusted', 'approve')).toMatchObject({
    code: 'wrong_state',
    extra: { state: 'trusted', allowed_decisions: ['hold'] },
  })
  expect(refused('rejected', 'approve')).toMatchObject({
    code: 'wrong_state',
    extra: { allowed_decisions: [] },
  })
})

test('only trusted agents act, and only undecided ones wait', () => {
  expect(trustStates.filter(mayAct)).toEqual(['trusted', 'sandbox_trusted'])
  expect(trustStates.filter(isWaiting)).toEqual(['submitted', 'under_review'])
})
