import fc from 'fast-check'
import { expect } from 'vitest'
import type { Judgement } from '#domain/reviews/evidence.ts'
import { type ClearingFacts, clear, clearingDecisions } from '#domain/runs/clearing.ts'
import { taskStates } from '#domain/tasks/lifecycle.ts'
import { verifies } from '../../../verifies.ts'

const now = 1_795_512_720
/** A run that lacks nothing. */
const sound: ClearingFacts = {
  usage: 'operational',
  rail: 'packetops',
  state: 'closed',
  failed: false,
  priceUsd: 107,
  package: { partial: false, faults: [], madeAt: now - 60 },
  receipts: { settlement: true, usage: true },
  payment: { state: 'verified', amountUsd: 107 },
  obligation: { statement: 'A sealed packet', amountUsd: 107, dueAt: now },
  promised: { by: 'ct_1', scope: ['A sealed packet.'], criteria: [] },
  policy: { rails: ['packetops'], maxUsd: 107, limitsData: false },
  now,
}
const decided = (changes: Partial<ClearingFacts>) => {
  const { decision, checks } = clear({ ...sound, ...changes })
  return [
    decision,
    ...checks.filter(({ outcome }) => outcome !== 'passed').map(({ check }) => check),
  ]
}
const packageOf = (more: object) => ({ package: { ...sound.package!, ...more } })
const owed = (more: object) => ({ obligation: { ...sound.obligation, ...more } })
const payment = (state: string, amountUsd = 107) => ({ payment: { state, amountUsd } })

verifies('clearing.decided', 'each record that is missing, late or false decides', () => {
  expect(decided({})).toEqual(['cleared'])
  const cases: [Partial<ClearingFacts>, string[]][] = [
    [{ state: 'operating' }, ['retry', 'run']],
    [{ state: 'exception_open' }, ['retry', 'run']],
    [{ failed: true }, ['blocked', 'run']],
    [{ package: null }, ['retry', 'package']],
    [packageOf({ partial: true }), ['human_review', 'package']],
    [packageOf({ faults: ['proof hash'] }), ['blocked', 'package']],
    [{ receipts: { settlement: false, usage: true } }, ['retry', 'receipts']],
    [{ receipts: { settlement: true, usage: false } }, ['retry', 'receipts']],
    [{ payment: null }, ['retry', 'payment']],
    [payment('pending'), ['retry', 'payment']],
    [payment('disputed'), ['human_review', 'payment']],
    [payment('refunded'), ['blocked', 'payment']],
    [payment('verified', 106), ['human_review', 'payment']],
    [owed({ amountUsd: 99, dueAt: null }), ['human_review', 'obligation']],
    [owed({ amountUsd: null, dueAt: now - 61 }), ['human_review', 'obligation']],
    [{ policy: { rails: ['tokenops'], maxUsd: null, limitsData: false } }, ['blocked', 'policy']],
    [{ policy: { rails: null, maxUsd: 106, limitsData: false } }, ['blocked', 'policy']],
    [{ policy: { rails: null, maxUsd: null, limitsData: true } }, ['human_review', 'policy']],
  ]
  for (const [changes, expected] of cases)
    expect([changes, decided(changes)]).toEqual([changes, expected])
  const free = { usage: 'synthetic', priceUsd: null, payment: null } as const
  const without = { ...free, receipts: { settlement: false, usage: false } }
  expect(decided({ ...without, ...owed({ amountUsd: null, dueAt: null }) })).toEqual(['cleared'])
})

verifies('clearing.statement', 'what is owed is what the contract promises, as judged', () => {
  const by = (verdict?: Judgement['verdict']) => ({
    promised: {
      by: 'ct_1',
      scope: ['A sealed packet.'],
      criteria: verdict === undefined ? [] : [{ criterion: 'No  gaps.', verdict }],
    },
  })
  const noGaps = owed({ statement: 'no gaps' })
  const cases: [Partial<ClearingFacts>, string][] = [
    [owed({ statement: ' a SEALED  packet' }), 'passed'],
    [owed({ statement: 'another packet' }), 'review'],
    [{ promised: null }, 'open'],
    [{ ...noGaps, ...by() }, 'review'],
    [{ ...noGaps, ...by('met') }, 'passed'],
    [{ ...noGaps, ...by('not_met') }, 'failed'],
    [{ ...noGaps, ...by('not_judged') }, 'review'],
    [{ ...noGaps, ...by('not_met'), state: 'operating' }, 'open'],
  ]
  for (const [changes, expected] of cases) {
    const { checks } = clear({ ...sound, ...changes })
    const { outcome } = checks.find(({ check }) => check === 'obligation')!
    expect([changes, outcome]).toEqual([changes, expected])
  }
})

verifies('clearing.faults', 'a check names every fault, and the worst one is its outcome', () => {
  const { checks } = clear({
    ...sound,
    ...packageOf({ partial: true, faults: ['proof hash', 'result'] }),
    receipts: { settlement: false, usage: false },
    ...payment('pending', 106),
    ...owed({ amountUsd: 99, dueAt: now - 61 }),
    policy: { rails: ['tokenops'], maxUsd: 106, limitsData: false },
  })
  expect(
    checks.slice(1).map(({ outcome, detail }) => [outcome, detail.split('; ').length]),
  ).toEqual([
    ['failed', 2],
    ['open', 2],
    ['review', 2],
    ['review', 2],
    ['failed', 2],
  ])
})

const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null })
const usd = fc.integer({ min: 0, max: 300 })
const time = fc.integer({ min: now - 100, max: now + 100 })
const anyFacts: fc.Arbitrary<ClearingFacts> = fc.record({
  usage: fc.constantFrom('synthetic', 'operational'),
  rail: fc.constantFrom('packetops', 'tokenops'),
  state: fc.constantFrom(...taskStates),
  failed: fc.boolean(),
  priceUsd: maybe(usd),
  package: maybe(
    fc.record({
      partial: fc.boolean(),
      faults: fc.subarray(['proof hash', 'result']),
      madeAt: time,
    }),
  ),
  receipts: fc.record({ settlement: fc.boolean(), usage: fc.boolean() }),
  payment: maybe(
    fc.record({
      state: fc.constantFrom('presented', 'pending', 'verified', 'disputed', 'refunded'),
      amountUsd: usd,
    }),
  ),
  obligation: fc.record({
    statement: fc.constantFrom('a sealed packet', 'no gaps'),
    amountUsd: maybe(usd),
    dueAt: maybe(time),
  }),
  promised: maybe(
    fc.record({
      by: fc.constant('ct_1'),
      scope: fc.constant(['A sealed packet.']),
      criteria: fc.subarray([{ criterion: 'No gaps.', verdict: 'not_met' as const }]),
    }),
  ),
  policy: fc.record({
    rails: maybe(fc.subarray(['packetops', 'tokenops'])),
    maxUsd: maybe(usd),
    limitsData: fc.boolean(),
  }),
  now: fc.constant(now),
})

verifies('clearing.decided', 'the worst check decides, whatever the records are', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { decision, checks, proofState } = clear(facts)
      const has = (outcome: string) => checks.some((one) => one.outcome === outcome)
      expect(clearingDecisions).toContain(decision)
      expect(decision === 'blocked').toBe(has('failed'))
      expect(decision === 'human_review').toBe(!has('failed') && has('review'))
      expect(decision === 'cleared').toBe(checks.every(({ outcome }) => outcome === 'passed'))
      if (decision === 'cleared') {
        expect([facts.state, facts.failed, proofState]).toEqual(['closed', false, 'proven'])
        if (facts.usage === 'operational' && facts.priceUsd !== 0)
          expect([facts.payment?.state, facts.receipts]).toEqual([
            'verified',
            { settlement: true, usage: true },
          ])
      }
      expect(clear(facts)).toEqual({ decision, checks, proofState })
    }),
  )
})
