import { decimalText } from './amounts.ts'
import { byRows } from './by-rows.ts'
import { tokenopsInput } from './fixtures/tokenops.ts'
import { cite, notes } from './notes.ts'
import type { Citation, Rail, Work } from './rail.ts'
import { DAYS_MIN, ROWS_MIN, together, unusualDays, unusualRows } from './tokenops/anomalies.ts'
import { budgetState } from './tokenops/budget.ts'
import { COST_PLACES, readPrices } from './tokenops/prices.ts'
import { TokenopsHead, type TokenopsInput, TokenopsResult, UsageRow } from './tokenops/schema.ts'
import {
  costLine,
  daysOfAgents,
  NO_AGENT,
  pricedCells,
  sumsBy,
  unpricedOf,
} from './tokenops/sums.ts'
import { type UsageSoFar, usageSoFar } from './tokenops/usage.ts'

const details = {
  unusual_rows: (count: number) =>
    `rows that cost far more than the others of their model: ${count}`,
  unusual_days: (count: number) => `days of an agent that cost far more than its others: ${count}`,
  repeated_prices: (count: number) =>
    `rows of the price table that say what another says: ${count}`,
  outside_period: (count: number) =>
    `days with usage outside the period, which does not count for the budget: ${count}`,
  unpriced_models: (count: number) => `models without a price, whose cost is in no sum: ${count}`,
  differing_prices: (count: number) =>
    `price rows of models with more than one price, none of which is taken: ${count}`,
  too_few_rows: (count: number) =>
    `models with fewer than ${ROWS_MIN} rows, too few to tell what is unusual: ${count}`,
  too_few_days: (count: number) =>
    `agents with fewer than ${DAYS_MIN} days, too few to tell what is unusual: ${count}`,
  no_budget: () => 'no budget is given: nothing is said about its use',
  no_period: () => 'no period is given: nothing is forecast',
  no_usage: () => 'there is no usage',
}

/**
 * Prices model usage: exact cost by model, agent and day, use and forecast of a budget, models without a price, and what costs
 * unusually much by modified z-score.
 */
export const tokenops: Rail<TokenopsInput, TokenopsResult> = {
  key: 'tokenops',
  about: {
    summary:
      'Prices model usage exactly, forecasts the budget and names what is unpriced or unusual.',
    capabilities: [
      'cost of LLM tokens by model, agent and day',
      'track and forecast an AI budget',
      'find models that have no price',
      'detect anomalies in token usage and spend',
    ],
  },
  takes: {
    paidAgentUse: false,
    quickstart: true,
    pricingModelV2: false,
    controlledLoop: 'current',
    offer: true,
    requestedTool: true,
  },
  prices: { entry: 49, standard: 99, pro: 249 },
  result: TokenopsResult,
  sandboxInput: tokenopsInput,
  parameters: ['budget_minor', 'period'],
  ...byRows({
    head: TokenopsHead,
    lists: { usage: UsageRow },
    open(head) {
      const usage = usageSoFar()
      return { take: { usage: usage.take }, close: () => account(head, usage) }
    },
  }),
}

function account(head: TokenopsHead, usage: UsageSoFar): Work<TokenopsResult> {
  const prices = readPrices(head.price_table)
  const cells = [...usage.cells.values()]
  const priced = pricedCells(cells, prices)
  const models = sumsBy(priced, ({ model }) => model)
  const agents = sumsBy(priced, ({ agent }) => agent ?? NO_AGENT)
  const days = sumsBy(priced, ({ day }) => day)
  const counted = days.filter(({ key }) => inPeriod(head, key))
  const used = cells
    .map(({ day }) => day)
    .filter((day) => inPeriod(head, day))
    .sort()
  const agentDays = daysOfAgents(priced)
  const rows = together(
    models
      .filter((sum) => sum.rows >= ROWS_MIN)
      .map(({ key, price }) => unusualRows(key, usage.rowsOf(key), price)),
  )
  const unusual = together(agentDays.filter((own) => own.length >= DAYS_MIN).map(unusualDays))
  const unpriced = unpricedOf(cells, prices)
  const result: TokenopsResult = {
    total_cost_minor: decimalText(
      priced.reduce((sum, { cost }) => sum + cost, 0n),
      COST_PLACES,
    ),
    cost_by_model: models.map((sum) => ({
      model: sum.key,
      ...costLine(sum, [cite('price_table', sum.price.index)]),
    })),
    cost_by_agent: agents.map((sum) => ({
      agent: sum.key === NO_AGENT ? null : sum.key,
      ...costLine(sum),
    })),
    cost_by_day: days.map((sum) => ({ day: sum.key, ...costLine(sum) })),
    unpriced,
    anomalies: [...rows.shown, ...unusual.shown],
    budget_state: budgetState(head, counted, { first: used[0], last: used.at(-1) }),
  }
  const findings = notes(details)
  const outside = days.filter(({ key }) => !inPeriod(head, key))
  findings.add('unusual_rows', citedBy(rows.shown), rows.count)
  findings.add('unusual_days', citedBy(unusual.shown), unusual.count)
  findings.add('repeated_prices', placesOf(prices.repeated), prices.repeated.length)
  findings.add(
    'outside_period',
    outside.map(({ first }) => cite('usage', first)),
    outside.length,
  )
  const gaps = notes(details)
  const few = models.filter((sum) => sum.rows < ROWS_MIN)
  const short = agentDays.filter((own) => own.length < DAYS_MIN)
  gaps.add('unpriced_models', citedBy(unpriced), unpriced.length)
  gaps.add('differing_prices', placesOf(prices.differing), prices.differing.length)
  gaps.add(
    'too_few_rows',
    few.map(({ first }) => cite('usage', first)),
    few.length,
  )
  gaps.add(
    'too_few_days',
    short.map(([day]) => cite('usage', day?.first ?? 0)),
    short.length,
  )
  if (head.budget_minor === undefined) gaps.add('no_budget', [])
  if (head.period === undefined) gaps.add('no_period', [])
  if (cells.length === 0) gaps.add('no_usage', [])
  return { result, findings: findings.list(), gaps: gaps.list() }
}

function inPeriod({ period }: TokenopsHead, day: string): boolean {
  return period === undefined || (period.from <= day && day <= period.to)
}

function placesOf(priceRows: number[]): Citation[] {
  return priceRows.map((index) => cite('price_table', index))
}

function citedBy(lines: { citations: Citation[] }[]): Citation[] {
  return lines.flatMap(({ citations }) => citations)
}
