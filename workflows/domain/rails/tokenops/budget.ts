import { decimalText, divideRounded } from '../values/amounts.ts'
import { dayOf, dayText } from '../values/calendar.ts'
import { COST_PLACES } from './prices.ts'
import type { TokenopsHead, TokenopsResult } from './schema.ts'

/** What a day cost; the key is the day. */
type DayCost = { key: string; cost: bigint }
type BudgetState = TokenopsResult['budget_state']
const COST_UNITS = 10n ** BigInt(COST_PLACES)

/**
 * What is spent of the budget and, where a period is given, what will be by its end at the rate so far. `costs` are those of the
 * days in the period (of all days where there is none), in the order of days; `used` is the first and the last of those days that
 * has usage, priced or not, and `unpriced` counts the rows without a price.
 */
export function budgetState(
  { budget_minor, period }: TokenopsHead,
  costs: DayCost[],
  used: { first: string | undefined; last: string | undefined; unpriced: number },
): BudgetState {
  const spent = costs.reduce((sum, { cost }) => sum + cost, 0n)
  const first = period?.from ?? used.first
  const elapsed = daysBetween(first, used.last) ?? 0
  const days = daysBetween(period?.from, period?.to)
  const forecast = forecastOf(spent, days, elapsed)
  const facts = {
    period: period === undefined || days === null ? null : { ...period, days },
    days_elapsed: elapsed,
    spent_minor: decimalText(spent, COST_PLACES),
    unpriced_rows: used.unpriced,
    forecast_minor: forecastMinor(forecast),
  }
  if (budget_minor === undefined) return { ...noBudget, ...facts }
  const budget = BigInt(budget_minor) * COST_UNITS
  return {
    ...facts,
    state: stateOf(budget, spent, forecast, used.unpriced),
    budget_minor,
    used_percent: percentOf(spent, budget),
    remaining_minor: decimalText(budget - spent, COST_PLACES),
    exhausted_on: exhaustedOn({ budget, spent, costs, first, elapsed, last: period?.to }),
  }
}

const noBudget = {
  state: 'no_budget',
  budget_minor: null,
  used_percent: null,
  remaining_minor: null,
  exhausted_on: null,
} as const

/** The number of days from the first to the last, both counted; null where one is missing. */
function daysBetween(first: string | undefined, last: string | undefined): number | null {
  if (first === undefined || last === undefined) return null
  return dayOf(last) - dayOf(first) + 1
}

/** In percent with two decimals; null for a budget of nothing. */
function percentOf(spent: bigint, budget: bigint): number | null {
  if (budget === 0n) return null
  return Number(divideRounded(spent * 10_000n, budget)) / 100
}

function forecastOf(spent: bigint, days: number | null, elapsed: number): Forecast {
  if (days === null || elapsed === 0) return null
  return { total: spent * BigInt(days), elapsed: BigInt(elapsed) }
}

function forecastMinor(forecast: Forecast): number | null {
  if (forecast === null) return null
  const minor = Number(divideRounded(forecast.total, forecast.elapsed * COST_UNITS))
  return Number.isSafeInteger(minor) ? minor : null
}

type Spending = {
  budget: bigint
  spent: bigint
  costs: DayCost[]
  first: string | undefined
  elapsed: number
  last: string | undefined
}
type Forecast = { total: bigint; elapsed: bigint } | null

/** More cost can only make it worse, so that unpriced rows leave `exceeded` and `at_risk` as they are. */
function stateOf(
  budget: bigint,
  spent: bigint,
  forecast: Forecast,
  unpriced: number,
): BudgetState['state'] {
  if (spent > budget) return 'exceeded'
  if (forecast !== null && forecast.total > budget * forecast.elapsed) return 'at_risk'
  return unpriced > 0 ? 'unknown' : 'within'
}

/** The first day by whose end the budget is reached, seen or, at the rate so far, to come; null where it lasts for the period. */
function exhaustedOn({ budget, spent, costs, first, elapsed, last }: Spending): string | null {
  if (first === undefined || spent === 0n) return null
  let reached = 0n
  for (const { key, cost } of costs) {
    reached += cost
    if (reached >= budget) return key
  }
  const daysNeeded = (budget * BigInt(elapsed) + spent - 1n) / spent
  // Years beyond four digits have no calendar day here; a budget that lasts so long is not used up.
  if (daysNeeded > 1_000_000n) return null
  const day = dayText(dayOf(first) + Number(daysNeeded) - 1)
  return last !== undefined && day > last ? null : day
}
