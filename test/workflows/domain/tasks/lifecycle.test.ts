import { expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { recordKinds } from '#domain/core/record-kinds.ts'
import {
  allowedTaskEvents,
  nextTaskState,
  resumableStates,
  resumeStateAfter,
  type TaskEvent,
  type TaskState,
  taskEvents,
  taskStates,
} from '#domain/tasks/lifecycle.ts'
import { refuseTaskEvent } from '#domain/tasks/refused-event.ts'
import { verifies } from '../../../verifies.ts'

/** The table of tasks.md copied row by row: from, event, to. */
const rows = `
  created preflight_passed preflight_checked
  created preflight_rejected failed
  preflight_checked contract_prepared contract_ready
  contract_ready contract_accepted contract_accepted
  contract_ready contract_declined failed
  contract_ready contract_lapsed failed
  contract_accepted trust_requested trust_pending
  trust_pending trust_granted trusted
  trust_pending trust_denied failed
  trusted quote_issued quoted
  quoted credit_requested credit_pending
  quoted quote_lapsed exception_open
  credit_pending credit_funded credit_funded
  credit_pending credit_lapsed exception_open
  credit_funded enqueued queued
  credit_funded review_rejected failed
  queued started operating
  operating evidence_missing evidence_partial
  operating result_produced result_ready
  evidence_partial evidence_supplied operating
  evidence_partial evidence_waived result_ready
  result_ready result_attested attested
  attested receipts_issued receipt_issued
  receipt_issued callback_scheduled callback_pending
  receipt_issued closed closed
  callback_pending callback_delivered callback_delivered
  callback_delivered closed closed
  exception_open input_proposed exception_open
  exception_open input_declined exception_open
  exception_open replay_prepared replay_ready
  exception_open abandoned failed
  replay_ready abandoned failed
  failed closed closed
  created exception_raised exception_open
  preflight_checked exception_raised exception_open
  contract_ready exception_raised exception_open
  contract_accepted exception_raised exception_open
  trust_pending exception_raised exception_open
  trusted exception_raised exception_open
  quoted exception_raised exception_open
  credit_pending exception_raised exception_open
  credit_funded exception_raised exception_open
  queued exception_raised exception_open
  operating exception_raised exception_open
  evidence_partial exception_raised exception_open
  result_ready exception_raised exception_open
  attested exception_raised exception_open
  receipt_issued exception_raised exception_open
  callback_pending exception_raised exception_open
  callback_delivered exception_raised exception_open
`
const table = new Map(
  rows
    .trim()
    .split('\n')
    .map((row) => row.trim().split(' '))
    .map(([from, event, to]) => [`${from} ${event}`, to as TaskState]),
)
/** The 21 states as the document lists them. */
const documented =
  'created, preflight_checked, contract_ready, contract_accepted, trust_pending, trusted, quoted, credit_pending, credit_funded, queued, operating, evidence_partial, result_ready, attested, receipt_issued, callback_pending, callback_delivered, exception_open, replay_ready, failed, closed'

verifies('task.state.list', 'there are the 21 documented states, in their order', () => {
  expect(taskStates.join(', ')).toBe(documented)
})

verifies(
  'task.state.table',
  'each of the 21 × 33 pairs of state and event follows the table',
  () => {
    expect([taskStates.length, taskEvents.length, table.size]).toEqual([21, 33, 50])
    for (const state of taskStates) {
      for (const event of taskEvents) {
        for (const resume of [null, ...resumableStates]) {
          const pair = `${state} ${event}`
          const wanted = pair === 'replay_ready replayed' ? (resume ?? undefined) : table.get(pair)
          expect(nextTaskState(state, event, resume), `${pair} ${resume}`).toBe(wanted)
        }
      }
    }
  },
)

verifies('task.state.table', 'a task begins by submit and by nothing else', () => {
  for (const event of taskEvents)
    expect(nextTaskState('none', event)).toBe(event === 'submit' ? 'created' : undefined)
})

verifies('task.state.table', 'the allowed events of a state are those that move it', () => {
  for (const state of taskStates) {
    const moving = taskEvents.filter(
      (event) => nextTaskState(state, event, 'created') !== undefined,
    )
    expect([...allowedTaskEvents(state)].sort(), state).toEqual([...moving].sort())
  }
})

verifies('task.state.refused', 'a refused event is 409 wrong_state with the allowed events', () => {
  const refusalOf = (state: TaskState, event: TaskEvent) => refuseTaskEvent(state, event).refusal
  expect(refuseTaskEvent('queued', 'submit')).toBeInstanceOf(DomainError)
  expect(refusalOf('queued', 'enqueued')).toMatchObject({
    code: 'wrong_state',
    next_action: 'Read the task until its state changes.',
    extra: { state: 'queued', allowed_events: ['started', 'exception_raised'] },
  })
  expect(refusalOf('closed', 'started')).toMatchObject({
    code: 'wrong_state',
    extra: { allowed_events: [] },
  })
  for (const state of taskStates)
    expect(refusalOf(state, 'submit').next_action, state).toMatch(/^[A-Z].*\.$/)
  expect(refusalOf('trusted', 'started').next_action).toContain('POST /api/agents/quote')
  expect(refuseTaskEvent('none', 'started').refusal).toMatchObject({
    code: 'not_found',
    detail: expect.stringMatching(/task/),
  })
  expect(refusalOf('queued', 'enqueued').detail).toMatch(/queued.*enqueued/)
})

verifies(
  'task.exception.resume',
  'an exception keeps its interrupted state until replay or abandon',
  () => {
    for (const state of resumableStates) {
      const kept = resumeStateAfter(state, 'exception_raised', null)
      expect(kept).toBe(state)
      for (const event of ['input_proposed', 'input_declined', 'replay_prepared'] as const)
        expect(resumeStateAfter('exception_open', event, kept)).toBe(state)
      expect(nextTaskState('replay_ready', 'replayed', kept)).toBe(state)
      for (const from of ['exception_open', 'replay_ready'] as const)
        expect(resumeStateAfter(from, 'abandoned', kept)).toBeNull()
      expect(resumeStateAfter('replay_ready', 'replayed', kept)).toBeNull()
    }
    expect(resumableStates).toHaveLength(17)
  },
)

verifies(
  'task.lapse.resume',
  'a lapsed quote or credit resumes where a new one is requested',
  () => {
    expect(resumeStateAfter('quoted', 'quote_lapsed', null)).toBe('trusted')
    expect(resumeStateAfter('credit_pending', 'credit_lapsed', null)).toBe('quoted')
  },
)

verifies('task.records', 'the record kinds are those of the document, in its order', () => {
  const kinds =
    'onboarding, trust_profile, credential_envelope, quote, provider_route, credit_entitlement, run_contract, task_run, lifecycle_event, result_contract, settlement_receipt, usage_receipt, callback_delivery, ledger_event, attestation'
  expect(recordKinds.join(', ')).toBe(kinds)
})
