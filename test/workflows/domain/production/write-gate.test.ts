import { expect } from 'vitest'
import { type GateFacts, judgeWrite, passes, refusalCode } from '#domain/production/write-gate.ts'
import { verifies } from '../../../verifies.ts'

const sound: GateFacts = {
  denials: [],
  rails: ['packetops'],
  rail: 'packetops',
  key: 'unused',
  callback: { ok: true, detail: 'public' },
  auditEventId: 'aud_1',
}
const failed = (other: Partial<GateFacts>) => {
  const facts = { ...sound, ...other }
  const checks = judgeWrite(facts)
  const names = checks.filter(({ ok }) => !ok).map(({ check }) => check)
  return [names, refusalCode(checks, facts.denials)]
}

verifies('production.gate-checks', 'each check fails by its own fact', () => {
  expect(passes(judgeWrite(sound))).toBe(true)
  expect(failed({})).toEqual([[], undefined])
  const denied = (code: 'credential_invalid' | 'scope_denied' | 'rail_not_allowed') => ({
    denials: [{ code, detail: code }],
  })
  expect(failed(denied('credential_invalid'))).toEqual([['scoped_key'], 'credential_invalid'])
  expect(failed(denied('scope_denied'))).toEqual([['scoped_key'], 'scope_denied'])
  expect(failed(denied('rail_not_allowed'))).toEqual([['allowed_rail'], 'rail_not_allowed'])
  expect(failed({ rail: 'scout' })).toEqual([['allowed_rail'], 'rail_not_allowed'])
  expect(failed({ key: 'other_payload' })).toEqual([['idempotency'], 'idempotency_conflict'])
  expect(failed({ key: 'repeated' })).toEqual([[], undefined])
  const callback = { ok: false, detail: 'private' }
  expect(failed({ callback })).toEqual([['https_callback'], 'callback_refused'])
  const all = { ...denied('scope_denied'), rail: 'scout', key: 'other_payload', callback } as const
  expect(failed(all)).toEqual([
    ['scoped_key', 'idempotency', 'allowed_rail', 'https_callback'],
    'scope_denied',
  ])
})
