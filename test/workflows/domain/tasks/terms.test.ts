import { expect, test } from 'vitest'
import { moneyMovedAt } from '#domain/tasks/exception.ts'
import { taskStates } from '#domain/tasks/lifecycle.ts'
import { preflightChecks, type TaskTerms } from '#domain/tasks/terms.ts'

const MAX = 256 * 1024 * 1024
const terms: TaskTerms = {
  agent_id: null,
  rail: 'tokenops',
  tier: 'entry',
  usage: 'operational',
  on_gaps: 'report',
  callback_url: null,
  objective: 'x',
  input_manifest: [{ name: 'a', sha256: 'a'.repeat(64), bytes: MAX }],
}
const takes = (...usages: TaskTerms['usage'][]) => ({ takes: usages, bytesMax: MAX })
const callback = { ok: true, detail: 'none' }

test('the preflight checks the rail, the input sizes and the callback', () => {
  const checks = preflightChecks(terms, takes('synthetic', 'operational'), callback)
  expect(checks).toEqual([
    { check: 'rail', ok: true, detail: 'tokenops takes synthetic and operational runs' },
    { check: 'input_sizes', ok: true, detail: `${MAX} bytes, of ${MAX} that the tier entry takes` },
    { check: 'callback', ...callback },
  ])
})

test('a rail refuses the runs that it does not take', () => {
  const [one] = preflightChecks(terms, takes('synthetic'), callback)
  expect(one).toEqual({ check: 'rail', ok: false, detail: 'tokenops takes synthetic runs' })
  const [none] = preflightChecks(terms, takes(), callback)
  expect(none).toEqual({ check: 'rail', ok: false, detail: 'tokenops takes no runs' })
})

test('an input of one byte too many fails the preflight', () => {
  const input_manifest = terms.input_manifest.map((input) => ({ ...input, bytes: MAX + 1 }))
  const checks = preflightChecks({ ...terms, input_manifest }, takes('operational'), callback)
  expect(checks[1]).toMatchObject({
    ok: false,
    detail: `${MAX + 1} bytes, of ${MAX} that the tier entry takes`,
  })
})

test('without credit, money has moved from the state after the payment on', () => {
  const moved = taskStates.map((state) => moneyMovedAt(state))
  const pending = taskStates.indexOf('credit_pending')
  expect(moved.slice(0, pending).every((one) => one === 'no')).toBe(true)
  expect(moved[pending]).toBe('unknown')
  expect(moved.slice(pending + 1).every((one) => one === 'yes')).toBe(true)
})

test('with credit, its state and its payment decide whether money has moved', () => {
  const at = (entitlement_state: 'pending' | 'funded', reference_state: 'pending' | null) =>
    moneyMovedAt('quoted', { entitlement_state, reference_state })
  expect(at('funded', null)).toBe('yes')
  expect(at('pending', 'pending')).toBe('unknown')
  expect(at('pending', null)).toBe('no')
})
