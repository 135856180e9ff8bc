import { expect, test } from 'vitest'
import { authorityRules, decideAuthority, overReasons } from '#domain/payments/payment-authority.ts'
import { authorityTypes, referenceStates } from '#domain/payments/payment-reference.ts'

test('each authority has its method, its host and the field that carries it', () => {
  const rules = authorityTypes.map((type) => {
    const { method, hosted_by, needs, rule } = authorityRules[type]
    expect(rule, type).toMatch(/\S/)
    return [type, method, hosted_by, needs]
  })
  expect(rules).toEqual([
    ['checkout', 'hosted_checkout', 'provider', 'provider_session_id'],
    ['stablecoin_checkout', 'hosted_checkout', 'provider', 'provider_session_id'],
    ['agent_allowance_reference', 'agent_allowance', 'service', 'wallet_id'],
    ['wallet_reference', 'stablecoin_reference', 'wallet_owner', 'wallet_proof'],
  ])
})

test('a verified payment authorizes, and any reason denies before it', () => {
  for (const type of authorityTypes) {
    const open = authorityRules[type].hosted_by === 'provider' ? 'needs_provider' : 'authorized'
    expect(decideAuthority(type, 'verified', ['x'])).toBe('authorized')
    expect(decideAuthority(type, 'none', ['x'])).toBe('denied')
    expect(decideAuthority(type, 'none', [])).toBe(open)
    expect(decideAuthority(type, 'pending', [])).toBe(open)
  }
})

test('a payment that is over says so with its reason', () => {
  const over = referenceStates.filter((state) => overReasons({ state, reason: null }).length > 0)
  expect(over).toEqual(['disputed', 'rejected', 'expired', 'refunded'])
  expect(overReasons({ state: 'expired', reason: null })).toEqual(['the payment is expired'])
  expect(overReasons({ state: 'rejected', reason: 'late' })).toEqual([
    'the payment is rejected: late',
  ])
  expect(overReasons({ state: 'verified', reason: 'x' })).toEqual([])
})
