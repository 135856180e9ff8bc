import fc from 'fast-check'
import { expect } from 'vitest'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import type { TokenopsInput, UsageRow } from '#domain/rails/tokenops/schema.ts'
import { verifies } from '../../../../verifies.ts'
import { expectCited } from '../citations.ts'
import { dice, shuffled } from '../dice.ts'
import { byFold } from '../fold.ts'
import { usageMaterial } from './usage.ts'

const codes = (notified: { code: string }[]) => notified.map(({ code }) => code)
const PLACES = 12

/** A decimal text as a whole number of 10⁻¹² units, read digit by digit. */
function exact(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * 10n ** 12n + BigInt(fraction.padEnd(PLACES, '0'))
}

verifies('tokenops.costs', 'ten days of two agents, worked out by hand', () => {
  const { result, findings, gaps } = tokenops.work(tokenops.sandboxInput)
  // atlas-large: 2.8045 M × 300 + 0.1543 M × 1500 = 841.35 + 231.45; atlas-small: 0.81 M × 7.5 + 0.043 M × 30 = 6.075 + 1.29.
  expect(result.cost_by_model.map(({ model, cost_minor }) => [model, cost_minor])).toEqual([
    ['atlas-large', '1072.8'],
    ['atlas-small', '7.365'],
  ])
  expect(result.total_cost_minor).toBe('1080.165')
  expect(result.cost_by_day.find(({ day }) => day === '2026-03-08')?.cost_minor).toBe('51.705')
  expect(result.unpriced).toEqual([
    {
      model: 'atlas-preview',
      reason: 'not_in_price_table',
      rows: 1,
      input_tokens: 55_000,
      output_tokens: 4_000,
      citations: [{ pointer: '/usage/10' }],
    },
  ])
  expect(codes(findings)).toEqual(['unusual_days'])
  expect(codes(gaps)).toEqual(['too_few_days', 'too_few_rows', 'unpriced_models'])
})

verifies('tokenops.budget', 'a budget forecast follows the rate and names its last day', () => {
  // 1080.165 in 10 of 31 days: 3348.5115 by the end; 2000 is reached after 2000 ÷ 108.0165 = 18.5 days, on the 19th.
  expect(tokenops.work(tokenops.sandboxInput).result.budget_state).toEqual({
    state: 'at_risk',
    budget_minor: 2_000,
    period: { from: '2026-03-01', to: '2026-03-31', days: 31 },
    days_elapsed: 10,
    spent_minor: '1080.165',
    unpriced_rows: 1,
    used_percent: 54.01,
    remaining_minor: '919.835',
    forecast_minor: 3_349,
    exhausted_on: '2026-03-19',
  })
  const state = (more: Partial<TokenopsInput>) =>
    tokenops.work({ ...tokenops.sandboxInput, ...more }).result.budget_state
  expect(state({ budget_minor: 1_000 })).toMatchObject({
    state: 'exceeded',
    exhausted_on: '2026-03-07',
  })
  const priced = tokenops.sandboxInput.usage.filter(({ model }) => model !== 'atlas-preview')
  const lasting = { budget_minor: 4_000, usage: priced }
  expect(state(lasting)).toMatchObject({ state: 'within', exhausted_on: null })
  // A row without a price may cost anything: the budget is not said to be kept.
  expect(state({ budget_minor: 4_000 })).toMatchObject({ state: 'unknown', unpriced_rows: 1 })
  expect(state({ period: { from: '2026-03-01', to: '2026-03-02' } })).toMatchObject({
    spent_minor: '101.1',
    days_elapsed: 2,
  })
})

verifies(
  'tokenops.budget',
  'without budget, period or usage nothing is forecast and each is a gap',
  () => {
    const { result, gaps } = tokenops.work({ price_table: [], usage: [] })
    expect(result.total_cost_minor).toBe('0')
    expect(result.budget_state).toMatchObject({
      state: 'no_budget',
      forecast_minor: null,
      days_elapsed: 0,
    })
    expect(codes(gaps)).toEqual(['no_budget', 'no_period', 'no_usage'])
  },
)

verifies(
  'tokenops.costs',
  'a model with two prices has none, and a price said twice is one',
  () => {
    const price = (model: string, input_per_million_minor: number | string) => {
      return { model, input_per_million_minor, output_per_million_minor: 0 }
    }
    const row = (model: string): UsageRow => ({
      at: '2026-01-01T00:00:00Z',
      model,
      input_tokens: 1,
      output_tokens: 0,
    })
    const { result, findings, gaps } = tokenops.work({
      price_table: [price('a', 1), price('a', 2), price('b', '0.000001'), price('b', 0.000001)],
      usage: [row('a'), row('b')],
    })
    expect(result.total_cost_minor).toBe('0.000000000001')
    expect(result.unpriced.map(({ model, reason }) => [model, reason])).toEqual([
      ['a', 'prices_differ'],
    ])
    expect(codes(findings)).toEqual(['repeated_prices'])
    expect(codes(gaps)).toContain('differing_prices')
  },
)

verifies(
  'tokenops.anomalies',
  'a row and a day far above the others are named with their scores',
  () => {
    const price_table = [
      { model: 'm', input_per_million_minor: 1_000_000, output_per_million_minor: 0 },
    ]
    const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T12:00:00Z`
    // Costs of 10, 11, 12 in turn and one of 100: the median is 11, the median distance ln(12 ÷ 11), so that 100 is at
    // ln(100 ÷ 11) ÷ (3.5 ÷ 0.6745 × ln(12 ÷ 11)) = 4.89 of the limit.
    const usage = Array.from({ length: 21 }, (_, index) => {
      const input_tokens = index === 20 ? 100 : 10 + (index % 3)
      return { at: at(1 + index), model: 'm', input_tokens, output_tokens: 0, agent: 'a' }
    })
    const { result } = tokenops.work({ price_table, usage })
    expect(result.anomalies).toEqual([
      {
        kind: 'row',
        model: 'm',
        agent: null,
        day: null,
        cost_minor: '100',
        score: 4.89,
        times_median: 9.09,
        citations: [{ pointer: '/usage/20' }],
      },
      {
        kind: 'agent_day',
        model: null,
        agent: 'a',
        day: '2026-01-21',
        cost_minor: '100',
        score: 4.89,
        times_median: 9.09,
        citations: [{ pointer: '/usage/20' }],
      },
    ])
    const even = tokenops.work({
      price_table,
      usage: usage.map((row) => ({ ...row, input_tokens: 5 })),
    })
    expect(even.result.anomalies).toEqual([])
  },
)

verifies(
  ['tokenops.costs', 'rails.fold'],
  'a hundred thousand rows cost what a plain sum over them says',
  () => {
    const input = usageMaterial(100_000)
    const work = tokenops.work(input)
    const micro = new Map(
      input.price_table.map(
        ({ model, input_per_million_minor: i, output_per_million_minor: o }) => {
          return [
            model,
            [BigInt(Math.round(Number(i) * 1e6)), BigInt(Math.round(Number(o) * 1e6))] as const,
          ]
        },
      ),
    )
    const expected = {
      model: new Map<string, bigint>(),
      agent: new Map<string | null, bigint>(),
      day: new Map<string, bigint>(),
    }
    let unpriced = 0
    for (const { at, model, agent, input_tokens, output_tokens } of input.usage) {
      const price = micro.get(model)
      if (price === undefined) unpriced += 1
      else {
        const cost = BigInt(input_tokens) * price[0] + BigInt(output_tokens) * price[1]
        expected.model.set(model, (expected.model.get(model) ?? 0n) + cost)
        expected.agent.set(agent ?? null, (expected.agent.get(agent ?? null) ?? 0n) + cost)
        expected.day.set(at.slice(0, 10), (expected.day.get(at.slice(0, 10)) ?? 0n) + cost)
      }
    }
    const { result } = work
    expect(
      new Map(result.cost_by_model.map((line) => [line.model, exact(line.cost_minor)])),
    ).toEqual(expected.model)
    expect(
      new Map(result.cost_by_agent.map((line) => [line.agent, exact(line.cost_minor)])),
    ).toEqual(expected.agent)
    expect(new Map(result.cost_by_day.map((line) => [line.day, exact(line.cost_minor)]))).toEqual(
      expected.day,
    )
    expect(exact(result.total_cost_minor)).toBe(
      [...expected.model.values()].reduce((sum, cost) => sum + cost, 0n),
    )
    expect(result.unpriced.reduce((sum, { rows }) => sum + rows, 0)).toBe(unpriced)
    expect(result.anomalies.length).toBeLessThanOrEqual(200)
    expect(expectCited(input, work)).toBeGreaterThan(50)
    expect(JSON.stringify(byFold(tokenops, input))).toBe(JSON.stringify(work))
    expect(tokenops.result.parse(result)).toEqual(result)
  },
)

verifies(
  ['tokenops.costs', 'rails.order'],
  'costs add up over any cut of the rows, in any order',
  () => {
    const all = usageMaterial(600)
    fc.assert(
      fc.property(fc.nat(600), fc.nat(), (cut, seed) => {
        const total = (usage: UsageRow[]) =>
          exact(tokenops.work({ ...all, usage }).result.total_cost_minor)
        expect(total(all.usage.slice(0, cut)) + total(all.usage.slice(cut))).toBe(total(all.usage))
        const bare = (usage: UsageRow[]) =>
          JSON.parse(
            JSON.stringify(tokenops.work({ ...all, usage }).result, (key, value) =>
              key === 'citations' ? 0 : value,
            ),
          )
        expect(bare(shuffled(all.usage, dice(seed)))).toEqual(bare(all.usage))
      }),
      { numRuns: 25 },
    )
  },
)
