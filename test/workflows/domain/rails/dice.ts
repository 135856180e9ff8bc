/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const pick = <T>(from: readonly T[], roll: () => number): T =>
  from[Math.floor(roll() * from.length)] as T

export function shuffled<T>(items: readonly T[], roll: () => number): T[] {
  const left = [...items]
  return items.map(() => left.splice(Math.floor(roll() * left.length), 1)[0] as T)
}
