const REPEATS = 5

/** The least time of an act in ms, until one is within the limit: what other tests use of the machine only ever adds to it. */
export async function leastMs(limit: number, act: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < REPEATS && least >= limit; turn += 1) {
    const begun = performance.now()
    await act()
    least = Math.min(least, performance.now() - begun)
  }
  return least
}
