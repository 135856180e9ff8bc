import { decimalText } from '../amounts.ts'
import { cite } from '../notes.ts'
import { OUTLIER_SCORE, robustScore } from '../robust-score.ts'
import { inOrder } from '../work.ts'
import { COST_PLACES, costOf, type Price } from './prices.ts'
import type { TokenopsResult } from './schema.ts'
import type { ModelRows } from './usage.ts'

type Anomaly = TokenopsResult['anomalies'][number]
export type AgentDay = { agent: string | null; day: string; cost: bigint; first: number }
export type Outliers = { count: number; shown: Anomaly[] }

/** How many anomalies of a kind are shown, highest scores first; the result has the total number. */
const SHOWN_MAX = 100
/** Fewer values than these say nothing about what is usual. */
export const ROWS_MIN = 20
export const DAYS_MIN = 7

/** The rows of a model that cost far more than its other rows. */
export function unusualRows(model: string, rows: ModelRows, price: Price): Outliers {
  const costs = new Float64Array(rows.count())
  for (let row = 0; row < costs.length; row++) costs[row] = Number(costOf(rows.at(row), price))
  return outliersOf(costs, (row) => {
    const { index, ...tokens } = rows.at(row)
    const cost_minor = decimalText(costOf(tokens, price), COST_PLACES)
    return {
      kind: 'row',
      model,
      agent: null,
      day: null,
      cost_minor,
      citations: [cite('usage', index)],
    }
  })
}

/** The days of an agent that cost far more than its other days with usage. */
export function unusualDays(days: AgentDay[]): Outliers {
  return outliersOf(
    Float64Array.from(days, ({ cost }) => Number(cost)),
    (row) => {
      const { agent, day, cost, first } = days[row] as AgentDay
      const cost_minor = decimalText(cost, COST_PLACES)
      return {
        kind: 'agent_day',
        model: null,
        agent,
        day,
        cost_minor,
        citations: [cite('usage', first)],
      }
    },
  )
}

/** The anomalies of all samples together, cut to those that are shown. */
export function together(samples: Outliers[]): Outliers {
  const shown = samples.flatMap((sample) => sample.shown).sort(dearestFirst)
  return {
    count: samples.reduce((sum, { count }) => sum + count, 0),
    shown: shown.slice(0, SHOWN_MAX),
  }
}

const dearestFirst = inOrder<Anomaly>(
  ({ score }) => -score,
  ({ model, agent, day }) => JSON.stringify([model, agent, day]),
  ({ citations }) => Number(citations[0]?.pointer.split('/')[2]),
)

function outliersOf(
  values: Float64Array,
  describe: (at: number) => Omit<Anomaly, 'score'>,
): Outliers {
  const score = robustScore(values)
  const found: { at: number; score: number }[] = []
  if (score !== null)
    for (const [at, value] of values.entries()) {
      const own = score(value)
      if (own > OUTLIER_SCORE) found.push({ at, score: own })
    }
  found.sort((a, b) => b.score - a.score || a.at - b.at)
  const shown = found.slice(0, SHOWN_MAX)
  return {
    count: found.length,
    shown: shown.map(({ at, score: own }) => ({
      ...describe(at),
      score: Math.round(own * 100) / 100,
    })),
  }
}
