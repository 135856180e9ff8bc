/**
 * How many subjects make a round of about so many seconds, from the rate that was seen last; at least enough for every caller
 * to have several, so that the beginning and the end of a round weigh little.
 */
export function createSizing(seconds: number, perCaller: number) {
  const seen = new Map<string, number>()
  return {
    count: (what: string, callers: number, most = 5_000): number => {
      const rate = seen.get(`${what} ${callers}`) ?? seen.get(what) ?? 0
      return Math.min(most, Math.max(Math.ceil(rate * seconds), Math.ceil(callers * perCaller), 12))
    },
    saw: (what: string, callers: number, perSecond: number): void => {
      seen.set(`${what} ${callers}`, perSecond)
      seen.set(what, perSecond)
    },
  }
}

/** Turns of a section: as many as asked for, but none begins when the section has had its seconds; always one. */
export function* turns({ most, seconds }: Turns): Generator<number> {
  const until = performance.now() + seconds * 1000
  for (let turn = 0; turn < most && (turn === 0 || performance.now() < until); turn += 1) yield turn
}

export type Turns = { most: number; seconds: number }
export type Sizing = ReturnType<typeof createSizing>
