import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CredentialFacts,
  checkCredential,
  credentialText,
  keyStates,
  parseCredential,
  sandboxScopesOf,
  scopes,
  stateNow,
} from '#domain/agents/credential.ts'
import { tokenPrefixOf } from '#domain/agents/status-token.ts'
import { mayAct, trustStates } from '#domain/agents/trust.ts'
import { verifies } from '../../../verifies.ts'

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })

verifies(
  'agent.credential.format',
  'a credential is ag_, 16 hex, _ and 64 hex, and nothing near it is one',
  () => {
    fc.assert(
      fc.property(hex(16), hex(64), (credentialId, secret) => {
        expect(parseCredential(credentialText(credentialId, secret))).toEqual({
          credentialId,
          secret,
        })
      }),
    )
    const good = credentialText('a'.repeat(16), 'b'.repeat(64))
    for (const bad of [
      ` ${good}`,
      `${good}\n`,
      `${good}0`,
      good.slice(0, -1),
      good.replace('ag_', 'op_'),
      good.toUpperCase(),
      '',
    ])
      expect(parseCredential(bad), JSON.stringify(bad)).toBeUndefined()
  },
)

verifies('agent.status-token.format', 'a status token is its prefix and 43 base64url', () => {
  for (const prefix of ['st', 'tk', 'wt', 'pt'])
    expect(tokenPrefixOf(`${prefix}_${'A-_0'.repeat(11).slice(0, 43)}`)).toBe(prefix)
  for (const bad of [
    `xx_${'a'.repeat(43)}`,
    `st_${'a'.repeat(42)}`,
    `st_${'a'.repeat(44)}`,
    `st_${'a'.repeat(42)}=`,
    'st_',
    '',
  ])
    expect(tokenPrefixOf(bad), bad).toBeUndefined()
})

const now = 1_800_000_000
const live: CredentialFacts = {
  state: 'active',
  scopes: ['runs:read', 'runs:write'],
  rails: ['tokenops'],
  expiresAt: now + 1,
  retireAt: null,
  trust: 'trusted',
  maxUsd: 100,
}
const codes = (
  facts: Partial<CredentialFacts>,
  wanted: Partial<Parameters<typeof checkCredential>[1]> = {},
) =>
  checkCredential({ ...live, ...facts }, { scopes: ['runs:write'], ...wanted }, now).map(
    ({ code }) => code,
  )

verifies(
  'agent.credential.judged',
  'a live credential allows its purpose; each flaw has its own reason',
  () => {
    expect(codes({})).toEqual([])
    expect(codes({}, { rail: 'tokenops', usd: 100 })).toEqual([])
    expect(codes({ state: 'retiring', retireAt: now + 1 })).toEqual([])
    expect(codes({ state: 'retiring', retireAt: now })).toEqual(['credential_invalid'])
    for (const state of ['pending', 'retired', 'revoked'] as const)
      expect(codes({ state })).toEqual(['credential_invalid'])
    expect(codes({ expiresAt: now })).toEqual(['credential_invalid'])
    expect(codes({ trust: 'suspended' })).toEqual(['trust_required'])
    expect(codes({}, { scopes: ['wallets:write'] })).toEqual(['scope_denied'])
    expect(codes({}, { scopes: ['runs:write', 'wallets:write'] })).toEqual(['scope_denied'])
    expect(codes({}, { rail: 'packetops' })).toEqual(['rail_not_allowed'])
    expect(codes({}, { usd: 101 })).toEqual(['control_denied'])
    expect(codes({ maxUsd: null }, { usd: 1_000_000 })).toEqual([])
  },
)

verifies('agent.credential.judged', 'all reasons are listed, in the order of the checks', () => {
  const wanted = { scopes: ['wallets:write'], rail: 'scout', usd: 500 } as const
  expect(codes({ expiresAt: now, trust: 'suspended' }, wanted)).toEqual([
    'credential_invalid',
    'trust_required',
    'scope_denied',
    'rail_not_allowed',
    'control_denied',
  ])
})

verifies(
  'agent.credential.judged',
  'a dead credential or an untrusted agent is allowed nothing',
  () => {
    const facts = fc.record({
      state: fc.constantFrom(...keyStates),
      scopes: fc.subarray([...scopes]),
      rails: fc.subarray(['tokenops', 'packetops']),
      expiresAt: fc.option(fc.integer({ min: now - 2, max: now + 2 })),
      retireAt: fc.option(fc.integer({ min: now - 2, max: now + 2 })),
      trust: fc.constantFrom(...trustStates),
      maxUsd: fc.option(fc.nat(100)),
    })
    fc.assert(
      fc.property(facts, fc.subarray([...scopes], { minLength: 1 }), (of, wanted) => {
        const allowed = checkCredential(of, { scopes: wanted }, now).length === 0
        const state = stateNow(of, now)
        const alive =
          (state === 'active' || state === 'retiring') &&
          (of.expiresAt === null || of.expiresAt > now)
        expect(allowed).toBe(
          alive && mayAct(of.trust) && wanted.every((scope) => of.scopes.includes(scope)),
        )
      }),
    )
  },
)

test('a sandbox agent gets no scope of money, customers or mandates', () => {
  const given = sandboxScopesOf(scopes)
  expect(given).toContain('runs:write')
  expect(given).not.toContain('wallets:write')
})
