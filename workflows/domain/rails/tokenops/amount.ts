/** A whole number of units, not below zero: a `number` where it is exact in one, else a `bigint`. */
export type Amount = number | bigint

/** Two amounts up to this add up exactly as numbers. */
export const EXACT_MAX = 2 ** 52

/** A sum that is kept in a number as long as that is exact; most are, and a number is added in a tenth of the time. */
export type ExactSum = { low: number; high: bigint }

export function addTo(sum: ExactSum, amount: Amount): void {
  if (typeof amount === 'bigint') sum.high += amount
  else {
    sum.low += amount
    if (sum.low > EXACT_MAX) {
      sum.high += BigInt(sum.low)
      sum.low = 0
    }
  }
}

export function exactOf({ low, high }: ExactSum): bigint {
  return high + BigInt(low)
}
