import { OUTLIER_SCORE } from '../robust-score.ts'

/** Values at and above this number show their tail; fewer are judged by the distance from their median. */
const TAIL_MIN = 200
/** How many values of a sample may be above the limit by chance, where the tail is what it seems. */
const BY_CHANCE = 0.05
/** The least spread: without it, costs that are nearly equal would make small differences unusual. */
const SPREAD_MIN = 0.1

/** Quantiles of the standard normal distribution. */
const [Z90, Z98] = [1.2815515655446004, 2.0537489106318225]

export type UpperLimit = { median: number; score(value: number): number }

/**
 * The value above which fewer than 0.05 of a sample are expected, from the logarithms of what is above zero: the tail between the
 * 90th and the 98th percentile says whether it falls like that of a log-normal distribution or like that of a Pareto distribution,
 * and the limit is between those of the two. In a small sample it is 3.5 robust standard deviations above the median. The score of
 * a value is its distance from the median in that of the limit. Null where no value is above zero.
 */
export function upperLimit(values: Float64Array): UpperLimit | null {
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
