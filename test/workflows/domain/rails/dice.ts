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

export type Roll = () => number
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
export const upTo = (most: number, roll: Roll) => Math.floor(roll() * (most + 1))
export const some = <T>(from: readonly T[], most: number, roll: Roll): T[] =>
  times(1 + upTo(most - 1, roll), () => pick(from, roll))
export const day = (offset: number) =>
  new Date(Date.UTC(2026, 0, 1 + offset)).toISOString().slice(0, 10)
export const maybe = <T extends object>(roll: Roll, part: T): Partial<T> =>
  roll() < 0.5 ? part : {}
