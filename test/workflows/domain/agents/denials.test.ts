import { expect, test } from 'vitest'
import {
  type CredentialFacts,
  checkCredential,
  credentialText,
  parseCredential,
  stateNow,
} from '#domain/agents/credential.ts'
import { allowedDecisions, trustAfter } from '#domain/agents/trust.ts'
import { refusalOf } from '../refusal.ts'

const facts: CredentialFacts = {
  state: 'active',
  scopes: [],
  rails: ['scout'],
  expiresAt: null,
  retireAt: null,
  trust: 'trusted',
  maxUsd: 10,
}
const denialsOf = (change: Partial<CredentialFacts>, wanted = {}) =>
  checkCredential({ ...facts, ...change }, { scopes: [], ...wanted }, 100).map(
    ({ code, detail }) => `${code}: ${detail}`,
  )

test('a sound credential has no denial', () => {
  expect(denialsOf({})).toEqual([])
  expect(denialsOf({ expiresAt: 101, maxUsd: null }, { usd: 11, rail: 'scout' })).toEqual([])
  expect(denialsOf({}, { usd: 10 })).toEqual([])
})

test('each denial names its fact', () => {
  expect(denialsOf({ state: 'revoked', expiresAt: 1 })).toEqual([
    'credential_invalid: the credential is revoked',
  ])
  expect(denialsOf({ expiresAt: 100 })).toEqual(['credential_invalid: the credential has expired'])
  expect(denialsOf({ trust: 'rejected' })).toEqual(['trust_required: the agent is rejected'])
  expect(denialsOf({}, { rail: 'tokenops' })).toEqual([
    'rail_not_allowed: the credential is not for the rail tokenops',
  ])
  expect(denialsOf({}, { usd: 11 })).toEqual([
    'control_denied: 11 usd is over the agent’s limit of 10',
  ])
})

test('missing scopes are all named', () => {
  const [denial] = checkCredential(facts, { scopes: ['runs:read', 'runs:write'] }, 100)
  expect(denial).toEqual({
    code: 'scope_denied',
    detail: 'the credential has no scope runs:read and runs:write',
  })
})

test('only a credential that is rotated out retires by time', () => {
  expect(stateNow({ state: 'retiring', retireAt: 100 }, 99)).toBe('retiring')
  expect(stateNow({ state: 'retiring', retireAt: 100 }, 100)).toBe('retired')
  expect(stateNow({ state: 'retiring', retireAt: null }, 100)).toBe('retiring')
  expect(stateNow({ state: 'revoked', retireAt: 1 }, 100)).toBe('revoked')
})

test('a credential is read back from its text and from nothing else', () => {
  const [credentialId, secret] = ['0'.repeat(16), 'f'.repeat(64)]
  const text = credentialText(credentialId, secret)
  expect(parseCredential(text)).toEqual({ credentialId, secret })
  for (const other of ['', `x${text}`, `${text}x`]) expect(parseCredential(other)).toBeUndefined()
})

test('a decision out of turn names the state and the decisions left', () => {
  const refused = refusalOf(() => trustAfter('trusted', 'approve'))
  const allowed = allowedDecisions('trusted')
  expect(refused).toMatchObject({
    code: 'wrong_state',
    detail: 'the agent is trusted',
    next_action: `Decide one of ${allowed.join(', ')}.`,
    extra: { state: 'trusted', allowed_decisions: allowed },
  })
})
