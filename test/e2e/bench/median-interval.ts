/**
 * The distribution-free confidence interval of a median: the narrowest pair of order statistics that covers it with at least
 * this confidence (the sign test's interval). Throws when there are too few values for it.
 */
export function medianInterval(
  values: readonly number[],
  confidence: number,
): { low: number; high: number; coverage: number } {
  const sorted = [...values].sort((a, b) => a - b)
  const count = sorted.length
  for (let tail = Math.floor((count - 1) / 2); tail >= 0; tail -= 1) {
    const coverage = 1 - 2 * atMost(tail, count)
    if (coverage >= confidence) {
      return { low: sorted[tail] as number, high: sorted[count - 1 - tail] as number, coverage }
    }
  }
  throw new Error(`${count} values are too few for a confidence of ${confidence}`)
}

/** The probability that a fair coin shows heads at most so many times in `count` throws. */
function atMost(heads: number, count: number): number {
  let sum = 0
  let ways = 1
  for (let k = 0; k <= heads; k += 1) {
    sum += ways / 2 ** count
    ways = (ways * (count - k)) / (k + 1)
  }
  return sum
}
