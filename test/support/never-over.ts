import fc from 'fast-check'
import { expect } from 'vitest'

const LIMIT_MS = 50
const REPEATS = 5

/** `act` on each generated value takes at most 50 ms; a slow one is repeated, since the machine may have disturbed it. */
export function neverOver50ms<T>(
  arbitrary: fc.Arbitrary<T>,
  act: (given: T) => void,
  numRuns = 1_000,
): void {
  fc.assert(
    fc.property(arbitrary, (given) => {
      expect(leastMs(() => act(given))).toBeLessThan(LIMIT_MS)
    }),
    { numRuns },
  )
}

/** The least time of an act in ms, by the clock or by the processor, until one repeat is within the limit. */
function leastMs(act: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < REPEATS && least >= LIMIT_MS; turn += 1) {
    const begun = { clock: performance.now(), used: process.cpuUsage() }
    act()
    const elapsed = performance.now() - begun.clock
    const { user, system } = process.cpuUsage(begun.used)
    least = Math.min(least, elapsed, (user + system) / 1_000)
  }
  return least
}
