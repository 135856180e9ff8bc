import { type Item, sumOf } from './items.ts'

/** Among more candidates than these only runs of neighbours in the order of days are tried, not every combination. */
export const CANDIDATES_MAX = 12
/** Steps of the search in one reconciliation, including the candidates that are read. Beyond them nothing is combined, and the result says so. */
const STEPS_MAX = 2_000_000

export type Search = {
  /** The fewest items, of these the oldest, whose sum is the target within the tolerance; null where none is found. */
  find(target: bigint, items: Item[]): Item[] | null
  /** Whether all steps are used up. */
  isOver(): boolean
  /** What had too many candidates for every combination to be tried. */
  notSearched(): number
}

export function combinations(tolerance: bigint): Search {
  let steps = 0
  let notSearched = 0
  const pick = (items: Item[], count: number, from: number, left: bigint): Item[] | null => {
    if (count === 0) return left <= tolerance && left >= -tolerance ? [] : null
    for (let at = from; at + count <= items.length && steps < STEPS_MAX; at++) {
      const item = items[at]
      steps += 1
      if (item === undefined || item.open > left + tolerance) continue
      const rest = pick(items, count - 1, at + 1, left - item.open)
      if (rest !== null) return [item, ...rest]
    }
    return null
  }
  return {
    find(target, items) {
      if (steps >= STEPS_MAX) {
        notSearched += 1
        return null
      }
      steps += items.length
      const candidates = items.filter(({ open }) => open <= target + tolerance)
      if (sumOf(candidates) < target - tolerance) return null
      if (candidates.length > CANDIDATES_MAX) {
        const run = findRun(target, candidates, tolerance)
        if (run === null) notSearched += 1
        return run
      }
      for (let count = 2; count <= candidates.length; count++) {
        const found = pick(candidates, count, 0, target)
        if (found !== null) return found
      }
      if (steps >= STEPS_MAX) notSearched += 1
      return null
    },
    isOver: () => steps >= STEPS_MAX,
    notSearched: () => notSearched,
  }
}

/** The first run of neighbours whose sum fits; open amounts are above zero, so a window is enough. */
function findRun(target: bigint, items: Item[], tolerance: bigint): Item[] | null {
  let [begin, sum] = [0, 0n]
  for (const [end, { open }] of items.entries()) {
    sum += open
    for (; sum > target + tolerance; begin++) sum -= items[begin]?.open ?? 0n
    if (sum >= target - tolerance && end > begin) return items.slice(begin, end + 1)
  }
  return null
}
