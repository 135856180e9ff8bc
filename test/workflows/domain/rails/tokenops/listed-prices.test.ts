import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { listedPrices } from '#domain/rails/tokenops/listed/index.ts'
import { TokenopsHead, type TokenopsInput } from '#domain/rails/tokenops/schema.ts'
import { verifies } from '../../../../verifies.ts'
import { listedModule } from './listed-prices.ts'

const version = '1.110.2'
const file = `workflows/domain/rails/tokenops/listed/litellm-${version}.ts`
const source = `litellm ${version} (PyPI, taken on 2026-11-30), model_prices_and_context_window_backup.json`
const listed_prices = `litellm-${version}` as const

test.skipIf(!process.env['LITELLM_PRICES'])(
  'the list prices are written from the price map',
  () => {
    const map = JSON.parse(readFileSync(process.env['LITELLM_PRICES'] ?? '', 'utf8'))
    writeFileSync(file, listedModule(map, source))
  },
)

const row = (model: string, more: object = {}) => ({
  at: '2026-11-20',
  model,
  input_tokens: 300_000,
  output_tokens: 1_000,
  ...more,
})
const workOn = (usage: TokenopsInput['usage'], more: Partial<TokenopsInput> = {}) =>
  tokenops.work({ price_table: [], listed_prices, usage, ...more })

verifies('tokenops.listed', 'a named list prices what the price table does not', () => {
  TokenopsHead.parse({ price_table: [], listed_prices })
  expect(listedPrices(listed_prices).length).toBeGreaterThan(250)
  for (const price of listedPrices(listed_prices)) TokenopsHead.parse({ price_table: [price] })
  const { result } = workOn([row('gemini-2.5-pro'), row('anthropic/claude-haiku-4.5')])
  expect(result.currency).toBe('USD')
  // 300,000 × 2.50 + 1,000 × 15, and 300,000 × 1 + 1,000 × 5 usd a million.
  expect(result.cost_by_model.map(({ model, cost_minor }) => [model, cost_minor])).toEqual([
    ['claude-haiku-4-5', '30.5'],
    ['gemini-2.5-pro', '76.5'],
  ])
  expect(result.cost_by_model[0]?.citations[0]).toEqual({ pointer: '/listed_prices' })
})

verifies('tokenops.listed', 'a price of the table comes before the one of the list', () => {
  const own = { model: 'gemini-2.5-pro', input_per_million_minor: 100, output_per_million_minor: 0 }
  const { result, findings } = workOn([row('gemini-2.5-pro')], { price_table: [own] })
  expect(result.total_cost_minor).toBe('30')
  expect(findings.map(({ code }) => code)).not.toContain('repeated_prices')
  const none = tokenops.work({ price_table: [], usage: [row('gemini-2.5-pro')] })
  expect(none.result.unpriced[0]?.reason).toBe('not_in_price_table')
  expect(TokenopsHead.safeParse({ price_table: [], listed_prices: 'litellm-latest' }).success).toBe(
    false,
  )
})

verifies('tokenops.listed', 'the audit prices by the list too', () => {
  const input = { price_table: [], listed_prices, usage: [row('gpt-4o', { service: 'batch' })] }
  const audit = tokenops.audit.open(input)
  for (const one of input.usage) audit.take('usage', one, 0)
  const work = workOn(input.usage)
  // 300,000 × 1.25 + 1,000 × 5 usd a million.
  expect(work.result.total_cost_minor).toBe('38')
  expect(Object.values(audit.close(work)).filter((fault) => fault !== null)).toEqual([])
})
