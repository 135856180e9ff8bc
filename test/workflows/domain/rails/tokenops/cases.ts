import type { RailCases } from '../cases.ts'
import { maybe, type Roll, shuffled, upTo } from '../dice.ts'
import { money } from '../money.ts'
import { usageMaterial } from './usage.ts'

export const cases: RailCases = {
  declared: [false, true, false, 'current', true, true, [49, 99, 249]],
  figures: ({ total_cost_minor, budget_state, unpriced, anomalies }) => ({
    Cost: money(total_cost_minor, 'USD'),
    Budget: money(budget_state.budget_minor, 'USD'),
    'Budget state': budget_state.state.replace('_', ' '),
    'Budget used': `${budget_state.used_percent} %`,
    'Forecast for the period': money(budget_state.forecast_minor, 'USD'),
    'Models without a price': unpriced.length,
    'Unusual rows and days': anomalies.length,
  }),
  planted: {
    rows_counted: (result) => {
      result.cost_by_model[0].rows += 1
    },
    sums_agree: (result) => {
      result.cost_by_agent[0].cost_minor = '0.5'
    },
    duplicates_counted: (result) => {
      result.duplicates.rows += 1
    },
    costs_recomputed: (result) => {
      result.cost_by_model[0].cost_minor = '123.456'
    },
    budget_recomputed: (result) => {
      result.budget_state.spent_minor = '1'
    },
  },
  input: tokens,
  larger: () => [usageMaterial(4_000)],
}

function tokens(roll: Roll): unknown {
  const { usage, ...head } = usageMaterial(1 + upTo(400, roll))
  return {
    ...head,
    ...maybe(roll, { budget_minor: upTo(100_000, roll) }),
    usage: shuffled(usage, roll),
  }
}
