import fc from 'fast-check'
import { expect } from 'vitest'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import type { TokenopsInput, UsageRow } from '#domain/rails/tokenops/schema.ts'
import { verifies } from '../../../../verifies.ts'
import { dice, shuffled } from '../dice.ts'
import { usageMaterial } from './usage.ts'

type PriceRow = TokenopsInput['price_table'][number]
const codes = (notified: { code: string }[]) => notified.map(({ code }) => code)
const row = (more: Partial<UsageRow> = {}): UsageRow => {
  const at = '2026-01-10T12:00:00Z'
  return { at, model: 'm', input_tokens: 1_000_000, output_tokens: 0, ...more }
}
const price = (more: Partial<PriceRow> = {}): PriceRow => {
  return { model: 'm', input_per_million_minor: 100, output_per_million_minor: 400, ...more }
}
const workOn = (price_table: PriceRow[], usage: UsageRow[], more: Partial<TokenopsInput> = {}) =>
  tokenops.work({ price_table, usage, ...more })
const totalOf = (...args: Parameters<typeof workOn>) => workOn(...args).result.total_cost_minor
const bare = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, own) => (key === 'citations' ? 0 : own)))

verifies('tokenops.costs', 'each kind of token has its own price, or is named as unpriced', () => {
  const kinds = row({
    output_tokens: 1_000_000,
    cached_input_tokens: 300_000,
    cache_write_tokens: 100_000,
    image_tokens: 100_000,
    reasoning_tokens: 500_000,
  })
  // 0.5 M plain × 100 + 0.3 M × 10 + 0.1 M × 125 + 0.1 M × 90 + 0.5 M × 400 + 0.5 M × 600.
  const full = {
    cached_input_per_million_minor: 10,
    cache_write_per_million_minor: 125,
    image_per_million_minor: 90,
    reasoning_per_million_minor: 600,
  }
  expect(totalOf([price(full)], [kinds])).toBe('574.5')
  // 0.5 M plain and 1 M output; reasoning is output where it has no price of its own.
  const { result, gaps } = workOn([price()], [kinds])
  expect(result.total_cost_minor).toBe('450')
  expect(result.unpriced_counts.map(({ meter, count }) => [meter, count])).toEqual([
    ['cached', 300_000],
    ['image', 100_000],
    ['write', 100_000],
  ])
  expect(gaps.find(({ code }) => code === 'unpriced_counts')).toMatchObject({ kind: 'needed' })
  const batch = { batch_input_per_million_minor: 50, batch_output_per_million_minor: 200 }
  expect(totalOf([price(batch)], [{ ...row({ output_tokens: 1_000_000 }), batch: true }])).toBe(
    '250',
  )
  const batches = workOn([price()], [row({ batch: 'true' })]).result
  expect(batches.total_cost_minor).toBe('0')
  expect(batches.unpriced_counts[0]).toMatchObject({ meter: 'input', service: 'batch' })
  const separate = { cached_tokens: 'separate' } as const
  expect(totalOf([price(full)], [row({ cached_input_tokens: 1_000_000 })], separate)).toBe('110')
  const above = workOn([price(full)], [row({ input_tokens: 5, cached_input_tokens: 9 })])
  expect(codes(above.findings)).toContain('parts_above_whole')
})

verifies('tokenops.prices', 'a price holds from its first to its last day', () => {
  const table = [
    price(),
    price({ from: '2026-01-10', input_per_million_minor: 80 }),
    price({ from: '2026-01-05', to: '2026-01-06', input_per_million_minor: 1 }),
  ]
  const on = (at: string) => totalOf(table, [row({ at })])
  expect(on('2026-01-04T23:59:59Z')).toBe('100')
  expect(on('2026-01-06T00:00:00Z')).toBe('1')
  expect(on('2026-01-07T00:00:00Z')).toBe('100')
  expect(on('2026-01-09T23:30:00-01:00')).toBe('80')
  const ended = workOn([price({ to: '2026-01-09' })], [row()])
  expect(ended.result.unpriced[0]).toMatchObject({ reason: 'no_price_on_day', rows: 1 })
})

verifies('tokenops.prices', 'prices are converted by the rate of the day, exactly', () => {
  const usd = price({ currency: 'USD' })
  const exchange_rates = [
    { from: 'USD', to: 'EUR', rate: '0.9', day: '2026-01-01' },
    { from: 'USD', to: 'EUR', rate: '0.92345678', day: '2026-01-10' },
    { from: 'USD', to: 'JPY', rate: 150 },
  ]
  const costIn = (currency: string, at = '2026-01-10T00:00:00Z') =>
    totalOf([usd], [row({ at })], { currency, exchange_rates })
  expect(costIn('EUR')).toBe('92.345678')
  expect(costIn('EUR', '2026-01-09T00:00:00Z')).toBe('90')
  expect(costIn('JPY')).toBe('150')
  const { result } = workOn([usd], [row()], { currency: 'GBP', exchange_rates })
  expect(result.unpriced[0]?.reason).toBe('no_exchange_rate')
})

verifies('tokenops.names', 'other spellings of a model are priced as it, and shown', () => {
  const table = [
    price({ model: 'claude-3-5-sonnet-20241022' }),
    price({ model: 'gpt-4o', input_per_million_minor: 250 }),
    price({ model: 'gpt-4o-mini', input_per_million_minor: 15 }),
  ]
  const names = [
    'anthropic/claude-3.5-sonnet',
    'us.anthropic.claude-3-5-sonnet-20241022-v2:0',
    'GPT-4o-mini ',
    'gpt-4o',
    'house-model',
    'gpt-4o-2024-05-13',
  ]
  const aliases = [{ name: 'house-model', model: 'gpt-4o' }]
  const work = workOn(
    table,
    names.map((model) => row({ model })),
    { aliases },
  )
  expect(work.result.unpriced).toEqual([])
  expect(
    Object.fromEntries(
      work.result.model_names.map(({ name, priced_as, by }) => [name, `${priced_as} ${by}`]),
    ),
  ).toEqual({
    'anthropic/claude-3.5-sonnet': 'claude-3-5-sonnet-20241022 version',
    'us.anthropic.claude-3-5-sonnet-20241022-v2:0': 'claude-3-5-sonnet-20241022 version',
    'GPT-4o-mini ': 'gpt-4o-mini spelling',
    'house-model': 'gpt-4o alias',
    'gpt-4o-2024-05-13': 'gpt-4o version',
  })
  expect(codes(work.findings)).toContain('assumed_versions')
  const two = [price({ model: 'm-20250101' }), price({ model: 'm-20250202' })]
  expect(workOn(two, [row()]).result.unpriced[0]?.reason).toBe('ambiguous_name')
})

verifies('tokenops.duplicates', 'a request that came twice counts once', () => {
  const usage = [
    row({ request_id: 'a' }),
    row({ request_id: 'a' }),
    row({ request_id: 'b' }),
    row({ request_id: 'b', input_tokens: 2_000_000 }),
    row({ request_id: 'b' }),
    row(),
    row(),
  ]
  const { result, findings } = workOn([price()], usage)
  expect(result.duplicates.rows).toBe(2)
  expect(result.total_cost_minor).toBe('600')
  expect(codes(findings)).toEqual(['differing_requests', 'duplicate_requests', 'repeated_rows'])
})

verifies('tokenops.columns', 'LiteLLM and FOCUS rows are read by their own columns', () => {
  const { result, gaps } = workOn([price({ model: 'gpt-4o' })], [], {
    litellm: [
      {
        request_id: 'a',
        startTime: '2026-01-10 08:00:00.123',
        model: 'openai/gpt-4o',
        prompt_tokens: 1_000_000,
        completion_tokens: 1_000_000,
        spend: 5.25,
        user: 'helper',
        end_user: 'acme',
        request_tags: '["prod"]',
        api_base: 'kept by the caller',
      },
      {
        startTime: '2026-01-10T09:00:00Z',
        model: 'gpt-4o',
        prompt_tokens: 7,
        completion_tokens: 7,
        cache_hit: 'True',
      },
    ],
    focus: [
      {
        ChargePeriodStart: '2026-01-11T00:00:00Z',
        BilledCost: '1.1',
        BillingCurrency: 'USD',
        ChargeCategory: 'Usage',
        ConsumedQuantity: '1.5',
        ConsumedUnit: '1M Tokens',
        SkuMeter: 'GPT-4o Output Tokens',
        x_Model: 'gpt-4o',
        Tags: '{"team":"search"}',
      },
      {
        ChargePeriodStart: '2026-01-11T00:00:00Z',
        BilledCost: 19,
        BillingCurrency: 'USD',
        ChargeCategory: 'Tax',
      },
    ],
  })
  expect(result.total_cost_minor).toBe('1100')
  expect(result.cost_by_agent.map(({ agent, cost_minor }) => [agent, cost_minor])).toEqual([
    [null, '600'],
    ['helper', '500'],
  ])
  expect(result.cost_by_customer[0]).toMatchObject({ customer: 'acme', cost_minor: '500' })
  expect(result.cost_by_tag.map(({ tag, value }) => [tag, value])).toEqual([
    ['team', 'search'],
    ['request_tag', 'prod'],
  ])
  expect(codes(gaps)).toEqual([
    'no_billed_rate',
    'no_budget',
    'no_period',
    'not_tokens',
    'too_few_days',
    'too_few_rows',
  ])
  const usd = workOn([price({ model: 'gpt-4o', currency: 'USD' })], [], {
    litellm: [
      {
        startTime: '2026-01-10T09:00:00Z',
        model: 'gpt-4o',
        prompt_tokens: 1_000_000,
        completion_tokens: 0,
        spend: '1.05',
      },
    ],
  })
  expect(usd.result.billed[0]).toMatchObject({
    billed_minor: '105',
    cost_minor: '100',
    difference_minor: '5',
  })
})

verifies('tokenops.savings', 'savings name what is assumed', () => {
  const table = [
    price({ model: 'atlas-large', cached_input_per_million_minor: 10 }),
    price({ model: 'atlas-small', input_per_million_minor: 20 }),
    price({ model: 'other', input_per_million_minor: 1 }),
  ]
  const usage = [row({ model: 'atlas-large' })]
  const { savings } = workOn(table, usage).result
  expect(savings.map(({ kind, instead, saving_minor }) => [kind, instead, saving_minor])).toEqual([
    ['cheaper_model', 'atlas-small', '80'],
    ['caching', null, '45'],
  ])
  expect(savings.every(({ assumption }) => assumption.length > 20)).toBe(true)
  const stated = workOn(table, usage, {
    alternatives: [{ model: 'atlas-large', instead: 'other' }],
    cacheable_percent: 0,
  })
  expect(stated.result.savings.map(({ saving_minor }) => saving_minor)).toEqual(['99'])
})

verifies('tokenops.costs', 'a unit costs what its rows cost, divided by their number', () => {
  const usage = [
    row({ task: 'a', customer: 'c' }),
    row({ task: 'b', agent: 'x', input_tokens: 500_000 }),
    row({ input_tokens: 10 }),
  ]
  const units = workOn([price()], usage).result.unit_costs
  expect(
    units.map(({ unit, units: count, cost_per_unit_minor }) => [unit, count, cost_per_unit_minor]),
  ).toEqual([
    ['row', 3, '50.000333'],
    ['agent', 1, '50'],
    ['task', 2, '75'],
    ['customer', 1, '100'],
  ])
})

verifies(
  ['tokenops.prices', 'rails.order'],
  'order, unit and currency of the same prices do not change the result',
  () => {
    const all = usageMaterial(400)
    const usage = all.usage.map((one, index) => ({ ...one, request_id: `r${index % 390}` }))
    const perToken = (table: PriceRow[]): PriceRow[] =>
      table.map(({ model, input_per_million_minor: input, output_per_million_minor: output }) => ({
        model,
        input_cost_per_token: `${Number(input) * 100}e-10`,
        output_cost_per_token: `${Number(output) * 100}e-10`,
      }))
    const inDollars = (table: PriceRow[]): PriceRow[] =>
      table.map((one) => ({
        ...one,
        currency: 'USD',
        input_per_million_minor: Number(one.input_per_million_minor) * 4,
        output_per_million_minor: Number(one.output_per_million_minor) * 4,
      }))
    const exchange_rates = [{ from: 'USD', to: 'EUR', rate: 0.25 }]
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const expected = bare(tokenops.work({ ...all, usage, currency: 'EUR' }).result)
        const other = shuffled(usage, dice(seed))
        for (const price_table of [perToken(all.price_table), inDollars(all.price_table)]) {
          const input = { ...all, price_table, usage: other, currency: 'EUR', exchange_rates }
          expect(bare(tokenops.work(input).result)).toEqual(expected)
        }
      }),
      { numRuns: 10 },
    )
  },
)
