import { expect } from 'vitest'
import { actionLines, nextAction, type RequiredAction, reviewWait } from '#domain/reviews/wait.ts'
import { verifies } from '../../../verifies.ts'

const since = '2026-11-23T10:00:00.000Z'
const call: RequiredAction = {
  by: 'agent',
  call: 'POST /api/payout-execute',
  arguments: { payout_id: 'po_1', idempotency_key: '<new key>' },
  choices: [],
  command: 'agent-rails recover explain po_1',
}

verifies('views.wait', 'the next action names the call of the agent and its arguments', () => {
  const wait = { what: 'its execution', waiting_for: [], since, gaps: [] }
  expect(nextAction({ ...wait, action: call })).toBe(
    'Waiting for its execution. Call POST /api/payout-execute with payout_id, idempotency_key.',
  )
  expect(nextAction({ ...wait, action: { ...call, arguments: {} } })).toBe(
    'Waiting for its execution. Call POST /api/payout-execute.',
  )
  const none = 'Waiting for its execution. No action is needed from the agent.'
  expect(nextAction({ ...wait, action: null })).toBe(none)
  expect(nextAction({ ...wait, action: { ...call, by: 'operator' } })).toBe(none)
})

verifies('views.wait', 'the lines of an action are its command, call and arguments', () => {
  const json = '{"payout_id":"po_1","idempotency_key":"<new key>"}'
  expect(actionLines(call)).toEqual([call.command, call.call, json])
  expect(actionLines({ ...call, command: null })).toEqual([call.call, json])
  expect(actionLines({ ...call, call: null, arguments: {} })).toEqual([call.command])
  expect(actionLines({ ...call, command: null, arguments: {} })).toEqual([call.call])
})

verifies('views.review', 'a review offers its decisions and proposes the first', () => {
  const review = { kind: 'recovery', id: 'rec_1', since } as const
  const action = {
    by: 'operator',
    call: 'POST /api/loop-review-console',
    arguments: {
      subject_kind: 'recovery',
      subject_id: 'rec_1',
      decision: 'reject',
      note: '<why>',
      evidence_seen_sha256: ['<root of the evidence>'],
      idempotency_key: '<new key>',
    },
    choices: ['reject', 'approve'],
    command: 'agent-rails review show rec_1 --operator CREDENTIAL',
  }
  expect(reviewWait('a review', review, ['reject', 'approve'])).toEqual({
    what: 'a review',
    waiting_for: ['review'],
    since,
    gaps: [],
    action,
  })
  expect(reviewWait('a review', review, []).action?.arguments).toMatchObject({
    decision: 'approve',
  })
})
