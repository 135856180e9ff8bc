import type { TokenopsInput, UsageRow } from '#domain/rails/tokenops/schema.ts'
import { dice } from '../dice.ts'

const START = Date.UTC(2026, 0, 1)
const QUARTER_MS = 90 * 86_400_000

/** Rows of model usage over a quarter: twelve models of which one has no price, sixty agents, some rows that name none, a long tail. */
export function* usageRows(count: number): Generator<UsageRow> {
  const roll = dice(2_026)
  for (let index = 0; index < count; index++) {
    const at = `${new Date(START + Math.floor((index / count) * QUARTER_MS)).toISOString().slice(0, 19)}Z`
    const agent = roll() < 0.02 ? {} : { agent: `agent-${Math.floor(60 * roll() ** 2)}` }
    yield {
      at,
      model: `model-${Math.floor(12 * roll())}`,
      input_tokens: Math.floor(200 + 12_000 * roll() ** 4) * (roll() < 0.0005 ? 90 : 1),
      output_tokens: Math.floor(20 + 2_000 * roll() ** 3),
      ...agent,
      task: `task-${index % 5_000}`,
    }
  }
}

export function usageMaterial(count: number): TokenopsInput {
  const price_table = Array.from({ length: 11 }, (_, index) => {
    return {
      model: `model-${index}`,
      input_per_million_minor: 7.5 * (index + 1),
      output_per_million_minor: 30 * (index + 1),
    }
  })
  const period = { from: '2026-01-01', to: '2026-03-31' }
  return { price_table, budget_minor: 40_000, period, usage: [...usageRows(count)] }
}
