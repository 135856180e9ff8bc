import { expect } from 'vitest'
import { mayCancel, runOutcome } from '#domain/runs/outcome.ts'
import { type TaskState, taskStates, taskTransitions } from '#domain/tasks/lifecycle.ts'
import { verifies } from '../../../verifies.ts'

const none = { receiptsIssued: false, abandoned: false }
const next = (state: TaskState) =>
  Object.values(taskTransitions[state]).filter((to) => to !== 'resume_state')

verifies('mcp.tasks', 'once an outcome is not working, it never changes', () => {
  for (const state of taskStates) {
    const outcome = runOutcome(state, none)
    if (outcome === 'working') continue
    for (const to of next(state)) expect(runOutcome(to, none)).toBe(outcome)
    expect(runOutcome(state, { ...none, abandoned: true })).toBe('cancelled')
  }
  for (const state of taskStates)
    for (const abandoned of [false, true])
      expect(runOutcome(state, { receiptsIssued: true, abandoned })).toBe('completed')
  expect(runOutcome('exception_open', none)).toBe('working')
  expect(runOutcome('failed', none)).toBe('refused')
})

verifies('mcp.cancel', 'a run can be cancelled only before its result is made', () => {
  const given = taskStates.filter((state) => mayCancel(state, null))
  expect(given.at(0)).toBe('created')
  expect(given.at(-1)).toBe('evidence_partial')
  for (const state of given) expect(taskTransitions[state].exception_raised).toBe('exception_open')
  for (const stopped of ['exception_open', 'replay_ready'] as const) {
    expect(mayCancel(stopped, 'operating')).toBe(true)
    expect(mayCancel(stopped, 'attested')).toBe(false)
    expect(taskTransitions[stopped].abandoned).toBe('failed')
  }
})
