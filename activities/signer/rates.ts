import { SignerRefusal } from './protocol.ts'

/** Token buckets by name: each holds two seconds of its rate, so that one kind never uses up the budget of another. */
export function createRates<Name extends string>(
  perSecond: Readonly<Record<Name, number>>,
  now: () => number = () => performance.now() / 1000,
) {
  const buckets = new Map<Name, { tokens: number; at: number }>()
  /** Whether one more is within the rate; if so, it is counted. */
  const take = (name: Name): boolean => {
    const rate = perSecond[name]
    const at = now()
    const last = buckets.get(name) ?? { tokens: 2 * rate, at }
    const tokens = Math.min(2 * rate, last.tokens + (at - last.at) * rate)
    const taken = tokens >= 1
    buckets.set(name, { tokens: taken ? tokens - 1 : tokens, at })
    return taken
  }
  return {
    take,
    /** Counts one more; throws `SignerRefusal` where the rate is used up. */
    assertWithin: (name: Name): void => {
      if (!take(name)) throw new SignerRefusal('over_budget', `the budget for ${name} is used up`)
    },
  }
}
