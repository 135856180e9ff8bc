import { decimalText } from '../amounts.ts'
import { inOrder } from '../work.ts'
import type { Amount } from './amount.ts'
import { citeRow, type Place } from './places.ts'
import { COST_PLACES } from './prices.ts'
import type { TokenopsResult } from './schema.ts'
import { upperLimit } from './upper-limit.ts'

type Anomaly = TokenopsResult['anomalies'][number]
type Cost = { cost: bigint; first: Place }
export type AgentDay = Cost & { agent: string | null; day: string }
export type Outliers = { count: number; shown: Anomaly[] }

/** How many anomalies of a kind are shown, highest scores first; the result has the total number. */
const SHOWN_MAX = 100
/** Fewer values than these say nothing about what is usual. */
export const ROWS_MIN = 20
export const DAYS_MIN = 7

export type ModelRows = ReturnType<typeof modelRows>

/** What the rows of a model cost: eight bytes for each, and the dearest of them exactly. */
export function modelRows(unit: bigint) {
  let costs = new Float64Array(64)
  let count = 0
  const dearest: { cost: Amount; first: Place }[] = []
  return {
    push(cost: Amount, first: Place): void {
      if (count === costs.length) {
        const longer = new Float64Array(2 * costs.length)
        longer.set(costs)
        costs = longer
      }
      costs[count++] = Number(cost)
      const last = dearest[SHOWN_MAX - 1]
      if (last !== undefined && dearestCost({ cost, first }, last) >= 0) return
      dearest.push({ cost, first })
      dearest.sort(dearestCost)
      dearest.length = Math.min(dearest.length, SHOWN_MAX)
    },
    /** In units of the price table; those of the dearest rows in places of costs. */
    costs: () => costs.subarray(0, count),
    dearest: (): Cost[] => dearest.map(({ cost, first }) => ({ cost: BigInt(cost) * unit, first })),
    unit,
  }
}

function dearestCost<C extends { cost: Amount; first: Place }>(one: C, other: C): number {
  if (one.cost > other.cost) return -1
  return one.cost < other.cost ? 1 : one.first - other.first
}

/** The rows of a model that cost far more than its other rows. */
export function unusualRows(model: string, rows: ModelRows): Outliers {
  return outliersOf(rows.costs(), rows.unit, rows.dearest(), () => ({
    kind: 'row',
    model,
    agent: null,
    day: null,
  }))
}

/** The days of an agent that cost far more than its other days with usage. */
export function unusualDays(days: AgentDay[]): Outliers {
  const costs = Float64Array.from(days, ({ cost }) => Number(cost))
  return outliersOf(costs, 1n, days.toSorted(dearestCost), ({ agent, day }) => ({
    kind: 'agent_day',
    model: null,
    agent,
    day,
  }))
}

/** The anomalies of all samples together, cut to those that are shown. */
export function together(samples: Outliers[]): Outliers {
  const shown = samples.flatMap((sample) => sample.shown).sort(highestFirst)
  return {
    count: samples.reduce((sum, { count }) => sum + count, 0),
    shown: shown.slice(0, SHOWN_MAX),
  }
}

const highestFirst = inOrder<Anomaly>(
  ({ score }) => -score,
  ({ cost_minor }) => -Number(cost_minor),
  ({ model, agent, day }) => JSON.stringify([model, agent, day]),
  ({ citations }) => Number(citations[0]?.pointer.split('/')[2]),
)

function outliersOf<C extends Cost>(
  values: Float64Array,
  unit: bigint,
  dearest: C[],
  describe: (one: C) => Pick<Anomaly, 'kind' | 'model' | 'agent' | 'day'>,
): Outliers {
  const limit = upperLimit(values)
  if (limit === null) return { count: 0, shown: [] }
  let count = 0
  for (const value of values) if (limit.score(value) > 1) count += 1
  const shown = dearest
    .slice(0, SHOWN_MAX)
    .map((one) => ({ one, value: Number(one.cost / unit) }))
    .filter(({ value }) => limit.score(value) > 1)
  return {
    count,
    shown: shown.map(({ one, value }) => ({
      ...describe(one),
      cost_minor: decimalText(one.cost, COST_PLACES),
      score: rounded(limit.score(value)),
      times_median: rounded(value / limit.median),
      citations: [citeRow(one.first)],
    })),
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
