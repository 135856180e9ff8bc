/** Chance from a seed: the same seed and label give the same throws. */
export type Random = {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
  shuffled<T>(from: readonly T[]): T[]
}

/** mulberry32 over a hash of seed and label. */
export function seededRandom(seed: number, label: string): Random {
  let state = seed >>> 0
  for (const letter of label) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    between,
    chance: (probability) => next() < probability,
    pick: (from) => from[between(0, from.length - 1)] as (typeof from)[number],
    shuffled: (from) => {
      const cards = [...from]
      for (let last = cards.length - 1; last > 0; last--) {
        const other = between(0, last)
        ;[cards[last], cards[other]] = [cards[other] as never, cards[last] as never]
      }
      return cards
    },
  }
}
