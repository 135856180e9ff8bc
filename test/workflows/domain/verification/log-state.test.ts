import { expect } from 'vitest'
import { exitCodeOf, withLogAnswer, withLogState } from '#domain/verification/log-state.ts'
import { unread, type Verdict } from '#domain/verification/verdict.ts'
import { verifies } from '../../../verifies.ts'

const valid: Verdict = {
  kind: 'receipt',
  verdict: 'valid',
  reasons: [],
  checks: [],
  key: null,
  claims: { kind: 'payout_created' },
}
const logCheck = { check: 'log', ok: true, detail: 'leaf 1 of 2' }
const bundle: Verdict = { ...valid, kind: 'receipt_bundle', checks: [logCheck] }

verifies('verify.log', 'only a bundle and a sample show their place by themselves', () => {
  expect(withLogState(valid).log_state).toBe('not_checked')
  expect(withLogState(bundle).log_state).toBe('included')
  expect(withLogState({ ...bundle, verdict: 'indeterminate' }).log_state).toBe('not_checked')
  expect(withLogState({ ...valid, claims: { kind: 'sample' } }).log_state).toBe('exempt')
  expect(withLogState({ ...valid, kind: 'mandate' }).log_state).toBeNull()
  expect(withLogState(unread(null, 'malformed')).log_state).toBeNull()
})

verifies('verify.log', 'the exit code follows from the verdict and the place in the log', () => {
  const code = (
    verdict: Verdict['verdict'],
    log_state: Parameters<typeof exitCodeOf>[0]['log_state'],
  ) => exitCodeOf({ ...valid, verdict, log_state })
  for (const state of ['included', 'exempt', null] as const) {
    expect(code('valid', state)).toBe(0)
    expect(code('invalid', state)).toBe(1)
    expect(code('indeterminate', state)).toBe(3)
  }
  for (const state of ['pending', 'not_checked'] as const) {
    expect(code('valid', state)).toBe(3)
    expect(code('invalid', state)).toBe(1)
  }
  expect(code('valid', 'absent')).toBe(1)
  expect(code('indeterminate', 'absent')).toBe(1)
})

verifies('verify.log', 'an answer of a log counts only as far as it is proven', () => {
  const stateOf = (answer: Parameters<typeof withLogAnswer>[1]) =>
    withLogAnswer(valid, answer).log_state
  expect(withLogAnswer(valid, bundle)).toMatchObject({ log_state: 'included', checks: [logCheck] })
  for (const state of ['absent', 'pending'] as const) expect(stateOf(state)).toBe(state)
  expect(stateOf('unavailable')).toBe('not_checked')
  expect(stateOf(unread('receipt_bundle', 'not_included'))).toBe('absent')
  expect(stateOf(unread('receipt_bundle', 'log_key_unknown', 'indeterminate'))).toBe('not_checked')
})
