import type { Finding, Gap, Work } from '../rail.ts'

/** A comparison by the keys in turn; texts by UTF-16 units, so that no locale has a say. */
export function inOrder<T>(...keys: ((item: T) => string | number)[]): (a: T, b: T) => number {
  return (a, b) => {
    for (const key of keys) {
      const [left, right] = [key(a), key(b)]
      if (left !== right) return left < right ? -1 : 1
    }
    return 0
  }
}

/** The work with findings and gaps in an order of their own, not in that of the input. */
export function finishedWork<Result>(
  result: Result,
  findings: Finding[],
  gaps: Gap[],
): Work<Result> {
  const byCode = inOrder<Finding>(
    ({ code }) => code,
    ({ detail }) => detail,
  )
  return { result, findings: findings.toSorted(byCode), gaps: gaps.toSorted(byCode) }
}

/** The first few of the items in an order, without ordering the rest. */
export function firstOf<T>(items: readonly T[], count: number, order: (a: T, b: T) => number): T[] {
  const first: T[] = []
  for (const item of items) {
    const last = first[count - 1]
    if (last !== undefined && order(last, item) <= 0) continue
    first.push(item)
    first.sort(order)
    first.length = Math.min(first.length, count)
  }
  return first
}
