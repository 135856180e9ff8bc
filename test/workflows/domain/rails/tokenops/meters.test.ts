import { expect } from 'vitest'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { TokenopsHead, type TokenopsInput, type UsageRow } from '#domain/rails/tokenops/schema.ts'
import { verifies } from '../../../../verifies.ts'

type PriceRow = Exclude<TokenopsInput['price_table'], string>[number]
const codes = (notified: { code: string }[]) => notified.map(({ code }) => code)
const row = (more: Partial<UsageRow>): UsageRow => ({
  at: '2026-01-10T12:00:00Z',
  model: 'm',
  input_tokens: 0,
  output_tokens: 0,
  ...more,
})
/** The work on one price and some rows, with which the audit must agree. */
function workOn(price: Partial<PriceRow>, usage: UsageRow[], more: Partial<TokenopsInput> = {}) {
  const price_table: PriceRow[] = [{ model: 'm', currency: 'USD', ...price }]
  const input: TokenopsInput = { price_table, usage, ...more }
  TokenopsHead.parse({ price_table })
  const work = tokenops.work(input)
  const audit = tokenops.audit.open(input)
  for (const one of usage) audit.take('usage', one, 0)
  for (const one of input.focus ?? []) audit.take('focus', one, 0)
  expect(Object.values(audit.close(work)).filter((fault) => fault !== null)).toEqual([])
  return work
}
const totalOf = (...args: Parameters<typeof workOn>) => workOn(...args).result.total_cost_minor

// LiteLLM's prices of gemini-2.5-pro, in US dollars for a token.
const gemini = {
  input_cost_per_token: 1.25e-6,
  output_cost_per_token: 1e-5,
  cache_read_input_token_cost: 1.25e-7,
  input_cost_per_token_above_200k_tokens: 2.5e-6,
  output_cost_per_token_above_200k_tokens: 1.5e-5,
  cache_read_input_token_cost_above_200k_tokens: 2.5e-7,
  input_cost_per_token_flex: 6.25e-7,
  output_cost_per_token_flex: 5e-6,
  input_cost_per_token_priority: 2.25e-6,
  output_cost_per_token_priority: 1.8e-5,
}
// LiteLLM's prices of claude-haiku-4-5, with those of its searches.
const haiku = {
  input_cost_per_token: 1e-6,
  output_cost_per_token: 5e-6,
  cache_read_input_token_cost: 1e-7,
  cache_creation_input_token_cost: 1.25e-6,
  cache_creation_input_token_cost_above_1hr: 2e-6,
  cache_creation_input_token_cost_batches: 6.25e-7,
  input_cost_per_token_batches: 5e-7,
  output_cost_per_token_batches: 2.5e-6,
  search_context_cost_per_query: {
    search_context_size_low: 0.01,
    search_context_size_medium: 0.01,
    search_context_size_high: 0.01,
  },
}

verifies('tokenops.meters', 'prompts above a length have prices of their own', () => {
  // 300,000 × 2.50 + 1,000 × 15 usd a million.
  expect(totalOf(gemini, [row({ input_tokens: 300_000, output_tokens: 1_000 })])).toBe('76.5')
  // At the length itself the plain price holds: 200,000 × 1.25.
  expect(totalOf(gemini, [row({ input_tokens: 200_000 })])).toBe('25')
  // 200,001 tokens, 200,000 of them cached: 1 × 2.50 + 200,000 × 0.25.
  expect(totalOf(gemini, [row({ input_tokens: 200_001, cached_input_tokens: 200_000 })])).toBe(
    '5.00025',
  )
  // Two lengths: 150,000 × 3 and 300,000 × 4, in minor units a million.
  const two = {
    input_per_million_minor: 200,
    output_per_million_minor: 1_000,
    input_per_million_minor_above_128k_tokens: 300,
    output_per_million_minor_above_128k_tokens: 1_000,
    input_per_million_minor_above_272k_tokens: 400,
    output_per_million_minor_above_272k_tokens: 1_000,
  }
  const lengths = [row({ input_tokens: 150_000 }), row({ input_tokens: 300_000 })]
  expect(totalOf(two, lengths)).toBe('165')
})

verifies('tokenops.meters', 'a sum over several requests is no long prompt', () => {
  const sum = row({ input_tokens: 300_000, requests: 10 })
  const { result, gaps } = workOn(gemini, [sum])
  expect(result.total_cost_minor).toBe('37.5')
  expect(gaps.find(({ code }) => code === 'prompt_lengths')).toMatchObject({ kind: 'needed' })
  const said = workOn(gemini, [{ ...sum, prompt_length: 30_000 }])
  expect(codes(said.gaps)).not.toContain('prompt_lengths')
  expect(totalOf(gemini, [{ ...sum, prompt_length: 200_001 }])).toBe('75')
  expect(codes(workOn(gemini, [row({ input_tokens: 9, requests: 3 })]).gaps)).not.toContain(
    'prompt_lengths',
  )
  const bill = {
    ChargePeriodStart: '2026-01-10',
    BilledCost: 0.75,
    BillingCurrency: 'USD',
    ConsumedQuantity: 300_000,
    ConsumedUnit: 'Tokens',
    x_Model: 'm',
  }
  const ofBill = (SkuMeter: string) => totalOf(gemini, [], { focus: [{ ...bill, SkuMeter }] })
  expect(ofBill('Text Input')).toBe('37.5')
  expect(ofBill('Text Input (Long)')).toBe('75')
  expect(ofBill('Input tokens > 200K')).toBe('75')
})

verifies('tokenops.meters', 'cache writes by life and searches have prices of their own', () => {
  const first = row({
    input_tokens: 1_000_000,
    output_tokens: 20_000,
    cached_input_tokens: 12_500_000,
    cache_write_1h_tokens: 3_000_000,
    cached_tokens: 'separate',
  })
  // 1 + 0.1 + 1.25 usd, and 3 M × 2 usd for the writes that live an hour: 8.35 usd; 700 × 0.01 usd for searches.
  expect(totalOf(haiku, [first])).toBe('835')
  expect(totalOf(haiku, [{ ...first, searches: 700 }])).toBe('1535')
  const { search_context_cost_per_query, ...silent } = haiku
  const { result } = workOn(silent, [{ ...first, searches: 700 }])
  expect(result.total_cost_minor).toBe('835')
  expect(result.unpriced_counts).toMatchObject([{ meter: 'searches', rows: 1, count: 700 }])
  const sizes = { search_context_size_low: 0.03, search_context_size_high: 0.05 }
  const unclear = workOn({ ...haiku, search_context_cost_per_query: sizes }, [row({ searches: 2 })])
  expect(unclear.result.unpriced_counts).toMatchObject([{ meter: 'searches', count: 2 }])
  const minor = { input_per_million_minor: 1, output_per_million_minor: 1 }
  expect(totalOf({ ...minor, searches_per_thousand_minor: 1_000 }, [row({ searches: 3 })])).toBe(
    '3',
  )
})

verifies('tokenops.meters', 'a service and a region have prices of their own', () => {
  const one = row({ input_tokens: 1_000_000, output_tokens: 100_000, prompt_length: 1 })
  for (const [service, cost] of [
    ['default', '225'],
    ['flex', '112.5'],
    ['priority', '405'],
    ['Standard', '225'],
  ] as const)
    expect(totalOf(gemini, [{ ...one, service }]), service).toBe(cost)
  // The flex price of short prompts says nothing of long ones.
  const long = workOn(gemini, [{ ...one, service: 'flex', prompt_length: 300_000 }])
  expect(long.result.unpriced_counts.map(({ meter }) => meter)).toEqual(['input', 'output'])
  const batch = { input_tokens: 1_000_000, cache_write_tokens: 400_000, service: 'batches' }
  expect(totalOf(haiku, [row(batch)])).toBe('55')
  const fast = workOn(gemini, [{ ...one, service: 'fast' }])
  expect(fast.result.total_cost_minor).toBe('0')
  expect(fast.result.unpriced_counts.map(({ meter, service }) => [meter, service])).toEqual([
    ['input', 'fast'],
    ['output', 'fast'],
  ])
  const uplift = { ...gemini, regional_uplift: { eu: 1.1 } }
  expect(totalOf(uplift, [{ ...one, region: 'eu' }])).toBe('247.5')
  expect(totalOf(uplift, [{ ...one, region: 'us' }])).toBe('225')
})

verifies('tokenops.meters', 'audio is counted apart from text, and never as text', () => {
  const spoken = row({ input_tokens: 1_000_000, audio_input_tokens: 900_000 })
  const prices = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }
  const audio = { input_cost_per_audio_token: 1e-5, output_cost_per_audio_token: 2e-5 }
  expect(totalOf({ ...prices, ...audio }, [spoken])).toBe('910')
  const { result, gaps } = workOn(prices, [spoken], { budget_minor: 5_000 })
  expect(result.total_cost_minor).toBe('10')
  expect(codes(gaps)).toContain('unpriced_counts')
  // What has no price may cost anything: the budget is not said to be kept, and nothing to be saved.
  expect(result.budget_state).toMatchObject({ state: 'unknown', unpriced_rows: 1 })
  expect(result.savings).toEqual([])
  expect(
    totalOf({ ...prices, ...audio }, [row({ output_tokens: 10, audio_output_tokens: 4 })]),
  ).toBe('0.0092')
})

verifies('tokenops.meters', 'a price field that is none is refused by its name', () => {
  for (const name of [
    'input_cost_per_token_above_7k_tokens',
    'input_cost_per_tokens',
    'slow_input_per_million_minor',
    'cache_read_input_token_cost_weekly',
  ]) {
    const price_table = [{ model: 'm', ...gemini, [name]: 1e-6 }]
    const issues = TokenopsHead.safeParse({ price_table }).error?.issues
    expect(issues, name).toMatchObject([{ code: 'unrecognized_keys', keys: [name] }])
  }
  const negative = { model: 'm', ...gemini, input_cost_per_token_batches: -1 }
  expect(TokenopsHead.safeParse({ price_table: [negative] }).success).toBe(false)
  const mixed = { model: 'm', ...gemini, audio_input_per_million_minor: 1 }
  expect(TokenopsHead.safeParse({ price_table: [mixed] }).success).toBe(false)
})

verifies('tokenops.bills', 'charges without counts stand next to what the model cost', () => {
  const usage = [row({ input_tokens: 1_000_000 }), row({ input_tokens: 1_000_000, billed: '1' })]
  const charge = {
    ChargePeriodStart: '2026-01-10',
    BillingCurrency: 'USD',
    ConsumedUnit: 'Requests',
  }
  const billsWith = (focus: TokenopsInput['focus']) =>
    workOn(haiku, usage, focus === undefined ? {} : { focus })
  // The row that states its bill alone: 1 usd billed, 1 usd computed.
  expect(billsWith([]).result.billed).toMatchObject([{ model: 'm', difference_minor: '0' }])
  const met = billsWith([{ ...charge, BilledCost: 1, x_Model: 'm' }])
  expect(met.result.billed).toMatchObject([
    { model: 'm', billed_minor: '200', cost_minor: '200', difference_minor: '0' },
  ])
  expect(codes(met.findings)).not.toContain('billed_differs')
  const apart = billsWith([{ ...charge, BilledCost: 12.5 }])
  expect(apart.result.billed).toMatchObject([
    { model: null, billed_minor: '1350', cost_minor: '200' },
    { model: 'm', billed_minor: '100', cost_minor: '100' },
  ])
  expect(codes(apart.findings)).toContain('billed_differs')
})
