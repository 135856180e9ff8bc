/** A share of a pool by weight, never under its floor nor over its cap; null: no cap. The weight is positive. */
export type Claim = { weight: bigint; floor: bigint; cap: bigint | null }
/** What a claim gets before whole units are made of it: `whole` and the fraction `rest / divisor`. */
export type Share = { whole: bigint; rest: bigint; divisor: bigint; held: 'floor' | 'cap' | null }

type Level = { at: bigint; of: bigint; claim: number; becomes: 'active' | 'capped' }

/**
 * The exact shares of an amount: each claim gets `weight × level`, held up by its floor and down by its cap, at the one level
 * where the shares use up the amount; where all caps are reached first, all get their caps. The floors fit into the amount.
 */
export function fill(amount: bigint, claims: Claim[]): Share[] {
  const state: ('floored' | 'active' | 'capped')[] = claims.map(() => 'floored')
  let fixed = claims.reduce((sum, { floor }) => sum + floor, 0n)
  let weight = 0n
  for (const { at, of, claim, becomes } of risingLevels(claims)) {
    if (fixed * of + at * weight >= amount * of) break
    const { weight: own, floor, cap } = claims[claim] as Claim
    if (becomes === 'active') {
      weight += own
      fixed -= floor
    } else {
      weight -= own
      fixed += cap ?? 0n
    }
    state[claim] = becomes
  }
  return claims.map(({ weight: own, floor, cap }, index) => {
    if (state[index] === 'floored') return { whole: floor, rest: 0n, divisor: 1n, held: 'floor' }
    if (state[index] === 'capped') return { whole: cap ?? 0n, rest: 0n, divisor: 1n, held: 'cap' }
    const share = own * (amount - fixed)
    return { whole: share / weight, rest: share % weight, divisor: weight, held: null }
  })
}

/** The levels at which a claim leaves its floor or reaches its cap, from the lowest; a claim leaves its floor first. */
function risingLevels(claims: Claim[]): Level[] {
  const levels = claims.flatMap(({ weight, floor, cap }, claim): Level[] => {
    const leaves: Level = { at: floor, of: weight, claim, becomes: 'active' }
    return cap === null ? [leaves] : [leaves, { at: cap, of: weight, claim, becomes: 'capped' }]
  })
  return levels.sort(
    (a, b) =>
      sign(a.at * b.of - b.at * a.of) || a.claim - b.claim || (a.becomes === 'active' ? -1 : 1),
  )
}

function sign(value: bigint): number {
  if (value === 0n) return 0
  return value < 0n ? -1 : 1
}
