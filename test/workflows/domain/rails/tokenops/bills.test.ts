import { expect } from 'vitest'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { FocusRow, type LitellmRow, type TokenopsInput } from '#domain/rails/tokenops/schema.ts'
import { verifies } from '../../../../verifies.ts'

const codes = (notified: { code: string }[]) => notified.map(({ code }) => code)
// LiteLLM's price map: 1 usd a million of input, 5 of output, 0.1 of cached input.
const haiku = {
  model: 'claude-haiku-4-5',
  input_cost_per_token: '0.000001',
  output_cost_per_token: '0.000005',
  cache_read_input_token_cost: '0.0000001',
  currency: 'USD',
}
const workOn = (
  more: Partial<TokenopsInput>,
  price_table: TokenopsInput['price_table'] = [haiku],
) => tokenops.work({ price_table, usage: [], ...more })

/** As LiteLLM's proxy stores a request of 100,000 tokens, 95,000 of them read from a cache. */
const spent = (id: string, metadata: LitellmRow['metadata']): LitellmRow => ({
  request_id: id,
  startTime: '2026-01-10 08:00:00.123',
  model: 'claude-haiku-4-5',
  prompt_tokens: 100_000,
  completion_tokens: 1_000,
  spend: '0.0195',
  metadata,
})

verifies('tokenops.bills', 'cached tokens are read where LiteLLM stores them', () => {
  const counts = { cache_read_input_tokens: 95_000, cache_creation_input_tokens: 0 }
  const openai = { prompt_tokens_details: { cached_tokens: 95_000 } }
  for (const metadata of [
    { additional_usage_values: counts },
    JSON.stringify({ additional_usage_values: counts }),
    { usage_object: counts },
    { additional_usage_values: {}, usage_object: openai },
  ]) {
    const litellm = Array.from({ length: 30 }, (_, at) => spent(`r${at}`, metadata))
    const { result, findings } = workOn({ litellm })
    // 30 × (5,000 × 1 + 95,000 × 0.1 + 1,000 × 5 usd a million) = 0.585 usd, as LiteLLM has it in `spend`.
    expect(result.total_cost_minor).toBe('58.5')
    expect(result.billed[0]).toMatchObject({ billed_minor: '58.5', difference_minor: '0' })
    expect(codes(findings)).toEqual([])
  }
})

verifies('tokenops.bills', 'a bill that differs is a finding, and no saving rests on it', () => {
  const cheaper = { ...haiku, model: 'claude-mini', output_cost_per_token: '0.000001' }
  const litellm = [spent('r', {}), spent('s', 'not JSON'), spent('t', { usage_object: [] })]
  const { result, findings } = workOn({ litellm }, [haiku, cheaper])
  // 3 × 0.105 usd without the cache, and 0.0585 usd billed.
  expect(result.billed[0]).toMatchObject({ billed_minor: '5.85', cost_minor: '31.5' })
  expect(codes(findings)).toEqual(['billed_differs'])
  expect(result.savings).toEqual([])
  const { depth, ...entry } = tokenops.tiers.entry
  expect(depth).toBeDefined()
  expect(entry.leaves_out_codes).not.toContain('billed_differs')
})

const charge = (more: Partial<FocusRow>): FocusRow => ({
  ChargePeriodStart: '2026-01-11T00:00:00Z',
  BilledCost: '1.5',
  BillingCurrency: 'USD',
  ConsumedQuantity: '1.5',
  ConsumedUnit: '1M Tokens',
  x_Model: 'claude-haiku-4-5',
  ...more,
})

verifies('tokenops.bills', 'a meter that names no kind of token is a gap', () => {
  for (const SkuMeter of ['Standard', 'Provisioned units', '', undefined]) {
    const { result, gaps } = workOn({ focus: [charge({ SkuMeter })] })
    expect(result.total_cost_minor, SkuMeter).toBe('0')
    expect(result.billed[0], SkuMeter).toMatchObject({ billed_minor: '150', cost_minor: '0' })
    expect(gaps.find(({ code }) => code === 'unknown_meters')).toMatchObject({ kind: 'needed' })
  }
  for (const [SkuMeter, cost] of [
    ['Haiku Input Tokens', '150'],
    ['gpt-4o 0806 Inp glbl Tokens', '150'],
    ['gpt-4o 0806 cchd Inp glbl Tokens', '15'],
    ['gpt-4o 0806 Outp glbl Tokens', '750'],
    ['USE1-Haiku-cache-read-input-token-count', '15'],
    ['prompt tokens', '150'],
  ] as const) {
    const { result, gaps } = workOn({ focus: [charge({ SkuMeter })] })
    expect(result.total_cost_minor, SkuMeter).toBe(cost)
    expect(codes(gaps), SkuMeter).not.toContain('unknown_meters')
  }
})

verifies('tokenops.bills', 'the name of a model is no part of its meter', () => {
  const totalOf = (model: string, more: Partial<FocusRow>) => {
    const focus = [charge({ x_Model: model, ...more })]
    return workOn({ focus }, [{ ...haiku, model }]).result.total_cost_minor
  }
  const costs: [string, string, string][] = [
    ['gemini-2.0-flash-thinking', 'Gemini 2.0 Flash Thinking Text Input', '150'],
    ['gemini-2.0-flash-thinking', 'Gemini 2.0 Flash Thinking Text Output', '750'],
    ['gpt-4o-audio-preview', 'gpt-4o-audio-preview text input tokens', '150'],
    ['gpt-4o-audio-preview', 'gpt-4o-audio-preview audio input tokens', '0'],
    ['cached-prompt', 'cached-prompt output', '750'],
  ]
  for (const [model, SkuMeter, cost] of costs)
    expect(totalOf(model, { SkuMeter }), SkuMeter).toBe(cost)
  // FOCUS 1.0 has no meters; its charges describe themselves.
  const ChargeDescription = '$0.005 per 1K output tokens of Claude Haiku 4.5'
  expect(totalOf('claude-haiku-4-5', { ChargeDescription })).toBe('750')
})

verifies('tokenops.bills', 'what was billed for requests counts, and a tax does not', () => {
  const focus = [
    charge({ BilledCost: '12.5', ConsumedUnit: 'Requests', ConsumedQuantity: '3' }),
    charge({ BilledCost: '2', ChargeCategory: 'Tax' }),
  ]
  const { result, gaps, findings } = workOn({ focus })
  expect(result.billed).toHaveLength(1)
  expect(result.billed[0]).toMatchObject({ rows: 1, billed_minor: '1250', cost_minor: '0' })
  expect(gaps.find(({ code }) => code === 'not_tokens')?.detail).toContain(': 2')
  expect(codes(findings)).toContain('billed_differs')
})

verifies('tokenops.bills', 'times are read as exports write them, in UTC', () => {
  const dayOf = (ChargePeriodStart: string) => {
    const row = charge({ ChargePeriodStart, SkuMeter: 'input' })
    return workOn({ focus: [row] }).result.cost_by_day.map(({ day }) => day)
  }
  for (const at of [
    '2024-09-18 22:00:00',
    '2024-09-18 22:00:00.123 UTC',
    '2024-09-18 22:00Z',
    '2024-09-18',
    '2024-09-19T00:30:00+02:30',
    '2024-09-18 20:30:00 -0130',
  ])
    expect(dayOf(at), at).toEqual(['2024-09-18'])
  for (const at of ['2024-13-01 00:00:00', '2024-09-18 25:00:00+01:00', '18.09.2024', 'yesterday'])
    expect(FocusRow.safeParse(charge({ ChargePeriodStart: at })).success, at).toBe(false)
})
