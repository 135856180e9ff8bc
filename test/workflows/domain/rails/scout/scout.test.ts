import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { scoutOver, serviceOf } from '#domain/rails/scout/index.ts'
import { ScoutInput, ScoutResult, type Service } from '#domain/rails/scout/schema.ts'
import { stemsOf, wordsOf } from '#domain/rails/text/words.ts'
import { verifies } from '../../../../verifies.ts'
import { expectCited } from '../citations.ts'
import { dice, shuffled } from '../dice.ts'
import { bm25Over } from './bm25.ts'
import { registry, tasks } from './registry.ts'

const own = rails.filter(({ key }) => key !== 'scout').map(serviceOf)
const scout = scoutOver(own)
const of = (input: ScoutInput) => scout.work(input).result

verifies('scout.ranking', 'among sixty services and the rails each task finds its service', () => {
  expect(ScoutInput.parse({ task: 'x', registry }).registry).toHaveLength(60)
  for (const [task, expected] of tasks) {
    const result = of({ task, registry })
    expect(ScoutResult.parse(result)).toEqual(result)
    expect(result.ranked[0]?.service_id, task).toBe(expected)
    expectCited({ task }, result)
  }
})

verifies(
  'scout.ranking',
  'a score is the mean over the needs of the best capability by BM25',
  () => {
    const services: Service[] = [...own, ...registry]
    const phrases = services.flatMap(({ service_id, capabilities, asks = [], summary }) =>
      [...capabilities, ...asks, summary].map((words) => ({
        service_id,
        stems: wordsOf(words).map(({ stem }) => stem),
      })),
    )
    const scores = bm25Over(phrases.map(({ stems }) => stems))
    const task =
      'Translate our contracts into Japanese. Screen the people in them against sanctions lists.'
    const needs = [
      'Translate our contracts into Japanese',
      'Screen the people in them against sanctions lists.',
    ]
    const result = of({ task, registry, limit: 25 })
    expect(result.needs.map(({ quote }) => quote)).toEqual(needs)
    const expected = services.map(({ service_id }) => {
      const best = needs.map((need) => {
        const all = scores(stemsOf(need)).filter((_, at) => phrases[at]!.service_id === service_id)
        const most = Math.max(...all)
        return most >= 0.1 ? most : 0
      })
      return { service_id, score: (best[0]! + best[1]!) / 2 }
    })
    for (const { service_id, score } of result.ranked)
      expect(score).toBeCloseTo(expected.find((one) => one.service_id === service_id)!.score, 3)
    const fitting = expected.filter(({ service_id, score }) => {
      const { state } = services.find((one) => one.service_id === service_id)!
      return score > 0 && state !== 'unapproved'
    })
    expect(result.ranked.map(({ service_id }) => service_id).sort()).toEqual(
      fitting.map((one) => one.service_id).sort(),
    )
  },
)

verifies('scout.exclusions', 'every service is ranked or excluded with a reason', () => {
  const constraint = fc.record(
    {
      rails: fc.uniqueArray(fc.constantFrom(...railKeys), { minLength: 1, maxLength: 8 }),
      price_max_usd: fc.integer({ min: 0, max: 200 }),
      protocols: fc.uniqueArray(fc.constantFrom('http', 'mcp', 'a2a'), { minLength: 1 }),
    },
    { requiredKeys: [] },
  )
  const task = 'Assemble a SOC 2 evidence packet, compare freight rates, review pull requests'
  const free = of({ task, registry, limit: 25 })
  fc.assert(
    fc.property(constraint, fc.integer({ min: 1, max: 25 }), (constraints, limit) => {
      const result = of({ task, registry, constraints, limit })
      const seen = [...result.ranked, ...result.excluded].map(({ service_id }) => service_id)
      expect(seen).toHaveLength(result.registry_size)
      expect(new Set(seen).size).toBe(seen.length)
      for (const { service_id, score, price_usd } of result.ranked) {
        expect(free.ranked.find((one) => one.service_id === service_id)?.score).toBe(score)
        if (constraints.price_max_usd !== undefined)
          expect(price_usd).toBeLessThanOrEqual(constraints.price_max_usd)
      }
    }),
    { numRuns: 40 },
  )
})

verifies('scout.exclusions', 'each reason to leave a service out', () => {
  const [first] = registry
  const one = (more: object, constraints = {}) => {
    const service = { ...first!, service_id: 'x', ...more }
    const result = of({
      task: 'Translate contracts into Japanese',
      registry: [service],
      constraints,
    })
    return result.excluded.findLast(({ service_id }) => service_id === service.service_id)?.code
  }
  expect(one({})).toBeUndefined()
  expect(one({ state: 'unapproved' })).toBe('not_approved')
  expect(one({ service_id: 'svc_packetops' })).toBe('id_taken')
  expect(one({}, { rails: ['packetops'] })).toBe('rail_not_wanted')
  expect(one({}, { price_max_usd: 39 })).toBe('price_too_high')
  expect(one({}, { price_max_usd: 40 })).toBeUndefined()
  expect(one({ price_usd: null }, { price_max_usd: 40 })).toBe('without_price')
  expect(one({}, { protocols: ['a2a'] })).toBe('protocol_missing')
  expect(one({ capabilities: ['dig wells'], summary: 'Wells.' })).toBe('no_match')
  const many = Array.from({ length: 3 }, (_, index) => ({ ...first!, service_id: `same-${index}` }))
  const { ranked, excluded } = of({ task: 'Translate contracts', registry: many, limit: 2 })
  expect(ranked.map(({ service_id }) => service_id)).toEqual(['same-0', 'same-1'])
  expect(excluded.find(({ service_id }) => service_id === 'same-2')?.code).toBe('beyond_limit')
})

verifies('scout.missing', 'what no service can do is named in the task’s own words', () => {
  const task = 'Assemble a SOC 2 evidence packet, then paint the fence green and feed the parrots.'
  const work = scout.work({ task })
  expect(work.result.missing.map(({ quote }) => quote)).toEqual([
    'paint the fence green and feed the parrots.',
  ])
  expect(work.gaps.map(({ code }) => code)).toEqual(['capability_missing'])
  expect(expectCited({ task }, work)).toBeGreaterThan(2)
  expect(scout.work({ task: 'Which of these is it?' }).gaps.map(({ code }) => code)).toEqual([
    'task_without_words',
  ])
})

verifies('scout.missing', 'the parts of a task', () => {
  const parts = (task: string) => of({ task }).needs.map(({ quote }) => quote)
  expect(parts('Reconcile invoices, payments and credit notes')).toEqual([
    'Reconcile invoices',
    'payments and credit notes',
  ])
  expect(parts('Packets, invoices, unpaid bills')).toEqual(['Packets, invoices', 'unpaid bills'])
  expect(parts('Translate')).toEqual(['Translate'])
  expect(
    parts(
      'Check the meters. Recompute the bill; tell the difference, and then archive the letters',
    ),
  ).toEqual([
    'Check the meters',
    'Recompute the bill',
    'tell the difference',
    'archive the letters',
  ])
})

verifies('rails.order', 'the order of a registry changes nothing', () => {
  const task = 'Forecast demand, search logs, verify email addresses'
  const before = canonicalJson(of({ task, registry }))
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      expect(canonicalJson(of({ task, registry: shuffled(registry, dice(seed)) }))).toBe(before)
    }),
    { numRuns: 10 },
  )
})

verifies('scout.ranking', 'the services considered are the declared rails, with a digest', () => {
  const result = railOf('scout').work({ task: 'x y z' }).result as ScoutResult
  const services = [...own].sort((a, b) => (a.service_id < b.service_id ? -1 : 1))
  const digest = createHash('sha256').update(canonicalJson(services)).digest('hex')
  expect(result).toMatchObject({ registry_size: own.length, registry_sha256: digest })
})
