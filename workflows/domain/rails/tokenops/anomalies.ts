import { decimalText } from '../values/amounts.ts'
import { OUTLIER_SCORE } from '../values/robust-score.ts'
import { inOrder } from '../work/work.ts'
import type { Amount } from './amount.ts'
import { citeRow, type Place } from './places.ts'
import { COST_PLACES } from './prices.ts'
import type { TokenopsResult } from './schema.ts'

/** Values at and above this number show their tail; fewer are judged by the distance from their median. */
const TAIL_MIN = 200
/** How many values of a sample may be above the limit by chance, where the tail is what it seems. */
const BY_CHANCE = 0.05
/** The least spread: without it, costs that are nearly equal would make small differences unusual. */
const SPREAD_MIN = 0.1

/** Quantiles of the standard normal distribution. */
const [Z90, Z98] = [1.2815515655446004, 2.0537489106318225]

type UpperLimit = { median: number; score(value: number): number }

/**
 * The value above which fewer than 0.05 of a sample are expected, from the logarithms of what is above zero: the tail between the
 * 90th and the 98th percentile says whether it falls like that of a log-normal distribution or like that of a Pareto distribution,
 * and the limit is between those of the two. In a small sample it is 3.5 robust standard deviations above the median. The score of
 * a value is its distance from the median in that of the limit. Null where no value is above zero.
 */
function upperLimit(values: Float64Array): UpperLimit | null {
  const logs = values.filter((value) => value > 0).map(Math.log)
  if (logs.length === 0) return null
  logs.sort()
  const at = (share: number) => logs[Math.floor(share * (logs.length - 1))] ?? 0
  const middle = at(0.5)
  const above = logs.length < TAIL_MIN ? smallLimit(logs, middle, at(0.9)) : tailLimit()
  return {
    median: Math.exp(middle),
    score: (value) => (value > 0 ? (Math.log(value) - middle) / above : 0),
  }

  function tailLimit(): number {
    const [q90, q98] = [at(0.9), at(0.98)]
    const rare = Math.log(logs.length / BY_CHANCE)
    const spread = Math.max((q90 - middle) / Z90, SPREAD_MIN)
    const normal = spread * normalQuantile(rare)
    const slope = Math.max(q98 - q90, 0) / Math.log(5)
    const pareto = q90 - middle + slope * (rare - Math.log(10))
    const lightest = (Z98 - Z90) / Z90
    const heaviness = Math.max(q98 - q90, 0) / Math.max(q90 - middle, SPREAD_MIN)
    const share = Math.min(1, Math.max(0, (heaviness - lightest) / (1 - lightest)))
    return Math.max(normal, normal + share * (pareto - normal))
  }
}

function smallLimit(logs: Float64Array, middle: number, q90: number): number {
  const distances = logs.map((value) => Math.abs(value - middle)).sort()
  const mad = distances[Math.floor((distances.length - 1) / 2)] ?? 0
  return OUTLIER_SCORE * Math.max(mad / 0.6745, (q90 - middle) / Z90, SPREAD_MIN)
}

/** The standard normal quantile that is exceeded with a probability of e^−rare, by the asymptotic series of its tail. */
function normalQuantile(rare: number): number {
  let square = 2 * rare
  for (let turn = 0; turn < 8; turn++)
    square = 2 * rare - Math.log(2 * Math.PI) - Math.log(square) - 2 / square
  return Math.sqrt(square)
}

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
