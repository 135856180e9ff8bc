import { decimalText, divideRounded, toInteger } from '../amounts.ts'
import { dayOf, dayText } from '../calendar.ts'
import { COST_PLACES } from './prices.ts'
import type { TokenopsHead, TokenopsResult } from './schema.ts'

/** What a day cost; the key is the day. */
type DayCost = { key: string; cost: bigint }
type BudgetState = TokenopsResult['budget_state']
const COST_UNITS = 10n ** BigInt(COST_PLACES)

/**
 * What is spent of the budget and, where a period is given, what will be by its end at the rate so far. `costs` are those of the
 * days in the period (of all days where there is none), in the order of days; `used` is the first and the last of those days that
 * has usage, priced or not.
 */
export function budgetState(
  { budget_minor, period }: TokenopsHead,
  costs: DayCost[],
  used: { first: string | undefined; last: string | undefined },
): BudgetState {
  const budget = budget_minor === undefined ? null : BigInt(budget_minor) * COST_UNITS
  const spent = costs.reduce((sum, { cost }) => sum + cost, 0n)
  const first = period?.from ?? used.first
  const elapsed = used.last === undefined || first === undefined ? 0 : dayOf(used.last) - dayOf(first) + 1
  const days = period === undefined ? null : dayOf(period.to) - dayOf(period.from) + 1
  const forecast = days === null || elapsed === 0 ? null : { total: spent * BigInt(days), elapsed: BigInt(elapsed) }
  return {
    state: stateOf(budget, spent, forecast),
    budget_minor: budget_minor ?? null,
    period: period === undefined || days === null ? null : { ...period, days },
    days_elapsed: elapsed,
    spent_minor: decimalText(spent, COST_PLACES),
    used_percent: budget === null || budget === 0n ? null : Number(divideRounded(spent * 10_000n, budget)) / 100,
    remaining_minor: budget === null ? null : decimalText(budget - spent, COST_PLACES),
    forecast_minor: forecast === null ? null : toInteger(divideRounded(forecast.total, forecast.elapsed * COST_UNITS)),
    exhausted_on: budget === null ? null : exhaustedOn(budget, spent, costs, first, elapsed),
  }
}

type Forecast = { total: bigint; elapsed: bigint } | null

function stateOf(budget: bigint | null, spent: bigint, forecast: Forecast): BudgetState['state'] {
  if (budget === null) return 'no_budget'
  if (spent > budget) return 'exceeded'
  return forecast !== null && forecast.total > budget * forecast.elapsed ? 'at_risk' : 'within'
}

/** The first day by whose end the budget is reached, seen or, at the rate so far, to come; null where nothing is spent. */
function exhaustedOn(
  budget: bigint,
  spent: bigint,
  costs: DayCost[],
  first: string | undefined,
  elapsed: number,
): string | null {
  if (first === undefined || spent === 0n) return null
  let reached = 0n
  for (const { key, cost } of costs) {
    reached += cost
    if (reached >= budget) return key
  }
  const daysNeeded = (budget * BigInt(elapsed) + spent - 1n) / spent
  // Years beyond four digits have no calendar day here; a budget that lasts so long is not used up.
  return daysNeeded > 1_000_000n ? null : dayText(dayOf(first) + Number(daysNeeded) - 1)
}
