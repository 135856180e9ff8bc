import fc from 'fast-check'
import { expect } from 'vitest'
import { evaluate } from '#domain/authority/evaluate.ts'
import type { AuthorityFacts } from '#domain/authority/facts.ts'
import { authorityRules, type Rule } from '#domain/authority/rules.ts'
import { verifies } from '../../../verifies.ts'

const agentId = `agt_${'1'.repeat(64)}`
const mandateId = `mdt_${'2'.repeat(64)}`
const inputSha256 = '3'.repeat(64)
const at = Date.parse('2026-11-24T12:00:00Z')

const terms = {
  principal_id: 'acme',
  agent_id: agentId,
  purpose: 'Runs',
  allowed_operations: ['start-agent-run'],
  rails: ['packetops' as const],
  resources: ['wal_1'],
  limits: { per_action_usd: 60, total_usd: 100, actions_max: 3 },
  valid_from: '2026-11-24T11:00:00Z',
  expires_at: '2026-11-24T13:00:00Z',
}
const mandate = { mandateId, terms, revoked: false, used: { usd: 50, actions: 1 } }
const grant = {
  state: 'issued' as const,
  terms: {
    mandate_id: mandateId,
    agent_id: agentId,
    operation_id: 'start-agent-run',
    input_sha256: inputSha256,
    spend_usd_max: 50,
    expires_at: '2026-11-24T12:01:00Z',
  },
}
const action = {
  operationId: 'start-agent-run',
  delegable: true,
  inputSha256,
  rails: ['packetops'],
  resources: ['wal_1'],
  priceUsd: 50,
  spendUsd: 50,
}
const permitted: AuthorityFacts = { nowMs: at, agentId, mandate, grant, action }
const other = (id: string) => id.replaceAll(/[0-9]/g, '9')
const ofMandate = (more: object) => ({ ...permitted, mandate: { ...mandate, ...more } })
const ofTerms = (more: object) => ofMandate({ terms: { ...terms, ...more } })
const ofGrant = (more: object) => ({
  ...permitted,
  grant: { ...grant, terms: { ...grant.terms, ...more } },
})
const ofAction = (more: object) => ({ ...permitted, action: { ...action, ...more } })

const forbidden: Readonly<Record<string, AuthorityFacts[]>> = {
  default_deny: [ofTerms({ allowed_operations: ['usage-ledger-record'] })],
  mandate_revoked: [ofMandate({ revoked: true })],
  mandate_time: [
    { ...permitted, nowMs: Date.parse(terms.valid_from) - 1, grant: undefined },
    { ...permitted, nowMs: Date.parse(terms.expires_at), grant: undefined },
  ],
  mandate_agent: [ofTerms({ agent_id: other(agentId) })],
  rail_allowed: [ofTerms({ rails: [] }), ofAction({ rails: ['packetops', 'scout'] })],
  resource_allowed: [ofAction({ resources: ['wal_2'] })],
  operation_delegable: [ofAction({ delegable: false })],
  price_known: [ofAction({ priceUsd: undefined })],
  spend_limit: [ofAction({ spendUsd: 49 })],
  per_action_limit: [ofTerms({ limits: { ...terms.limits, per_action_usd: 49 } })],
  budget: [ofMandate({ used: { usd: 51, actions: 1 } })],
  action_count: [ofMandate({ used: { usd: 50, actions: 3 } })],
  grant_unused: [
    { ...permitted, grant: { ...grant, state: 'consumed' } },
    { ...permitted, grant: { ...grant, state: 'revoked' } },
    ofGrant({ expires_at: '2026-11-24T12:00:00Z' }),
  ],
  grant_mandate: [ofGrant({ mandate_id: other(mandateId) })],
  grant_agent: [ofGrant({ agent_id: other(agentId) })],
  grant_operation: [ofGrant({ operation_id: 'wallet-run-start' })],
  grant_input: [ofGrant({ input_sha256: '4'.repeat(64) })],
  grant_spend_limit: [ofGrant({ spend_usd_max: 49 })],
}

verifies('authority.rules', 'an action within every limit is permitted by one rule', () => {
  expect(evaluate(permitted)).toEqual({
    decision: 'allow',
    deciding: [
      {
        rule: 'operation_allowed',
        effect: 'allow',
        detail: 'the mandate permits start-agent-run',
      },
    ],
  })
})

verifies('authority.rules', 'each rule alone forbids what it is for', () => {
  const tested = Object.entries(forbidden).flatMap(([rule, all]) =>
    all.map((facts) => [rule, evaluate(facts)] as const),
  )
  for (const [rule, { decision, deciding }] of tested)
    expect([decision, deciding.map((one) => one.rule)]).toEqual(['deny', [rule]])
  const flaws = (['schema', 'signature', 'unknown'] as const).flatMap((flaw) => [
    evaluate({ ...permitted, mandate: { flaw } }).deciding.map(({ rule }) => rule),
    evaluate({ ...permitted, grant: { flaw } }).deciding.map(({ rule }) => rule),
  ])
  expect(new Set(flaws.map(String))).toEqual(
    new Set(['grant_mandate,mandate_genuine', 'grant_genuine']),
  )
  const named = new Set([...Object.keys(forbidden), 'mandate_genuine', 'grant_genuine'])
  const ids = authorityRules.map(({ id }) => id).filter((id) => id !== 'operation_allowed')
  expect(ids.filter((id) => !named.has(id))).toEqual([])
})

const verdict = fc.option(
  fc.record({ effect: fc.constantFrom('allow' as const, 'deny' as const), detail: fc.string() }),
  { nil: undefined },
)
const anyRules = fc
  .array(verdict, { maxLength: 12 })
  .map((all): Rule[] => all.map((one, index) => ({ id: `rule_${index}`, judge: () => one })))

verifies('authority.rules', 'no permission means deny, and one denial wins', () => {
  fc.assert(
    fc.property(anyRules, (rules) => {
      const effects = rules.flatMap(({ judge }) => judge(permitted)?.effect ?? [])
      const expected = effects.includes('allow') && !effects.includes('deny') ? 'allow' : 'deny'
      const { decision, deciding } = evaluate(permitted, rules)
      expect(decision).toBe(expected)
      expect(deciding.length).toBeGreaterThan(0)
      expect(deciding.every(({ effect }) => effect === decision)).toBe(true)
    }),
  )
})

verifies('authority.rules', 'the order of the rules changes nothing', () => {
  const facts = [permitted, ...Object.values(forbidden).flat()]
  fc.assert(
    fc.property(
      fc.constantFrom(...facts),
      fc.shuffledSubarray([...authorityRules], { minLength: authorityRules.length }),
      (one, rules) => {
        expect(evaluate(one, rules)).toEqual(evaluate(one))
      },
    ),
  )
})

verifies('authority.rules', 'the limits hold to the last unit', () => {
  const usd = fc.integer({ min: 0, max: 200 })
  fc.assert(
    fc.property(usd, usd, usd, usd, (priceUsd, used, total_usd, per_action_usd) => {
      const limits = { per_action_usd, total_usd, actions_max: 3 }
      const facts = {
        ...permitted,
        mandate: { ...mandate, terms: { ...terms, limits }, used: { usd: used, actions: 0 } },
        grant: undefined,
        action: { ...action, priceUsd, spendUsd: undefined },
      }
      const fits = priceUsd <= per_action_usd && used + priceUsd <= total_usd
      expect(evaluate(facts).decision).toBe(fits ? 'allow' : 'deny')
    }),
  )
})
