/** Beyond this modified z-score a value is called an outlier (Iglewicz and Hoaglin 1993). */
export const OUTLIER_SCORE = 3.5

/**
 * The modified z-score of values from their own sample: 0.6745 (x − median) / MAD, where MAD is the median distance from the
 * median; where more than half of the values are equal, (x − median) / (1.253314 × mean distance). Null where all are equal.
 */
export function robustScore(values: Float64Array): ((value: number) => number) | null {
  if (values.length === 0) return null
  const middle = median(values)
  const distances = values.map((value) => Math.abs(value - middle))
  const mad = median(distances)
  if (mad > 0) return (value) => (0.6745 * (value - middle)) / mad
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / distances.length
  return mean > 0 ? (value) => (value - middle) / (1.253314 * mean) : null
}

function median(values: Float64Array): number {
  const sorted = values.slice().sort()
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2
}
