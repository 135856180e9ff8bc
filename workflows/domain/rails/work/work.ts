import type { Finding, Gap, GapKind, GapRules, Work } from '../rail.ts'

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

/** What a work notes as a gap; `kind` where one gap of a code is needed and another is not. */
export type NotedGap = Finding & { kind?: GapKind }

/** The gaps of a work, each judged by the rule of its code. Throws a RangeError for a code without one. */
export function judgedGaps(rules: GapRules, noted: readonly NotedGap[]): Gap[] {
  return noted.map(({ code, detail, citations, kind }) => {
    const rule = Object.hasOwn(rules, code) ? rules[code] : undefined
    if (rule === undefined) throw new RangeError(`there is no rule for the gap ${code}`)
    const pointer = rule.pointer ?? citations[0]?.pointer ?? ''
    return {
      code,
      kind: kind ?? rule.kind,
      detail,
      pointer,
      filled_by: rule.filled_by,
      citations,
    }
  })
}

/** Whether a run has to stop and ask. */
export const isNeeded = ({ kind }: Pick<Gap, 'kind'>): boolean => kind === 'needed'

/** How many items come before the first that does not hold, in a list where those that hold come first. */
export function leading<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let [from, to] = [0, items.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (holds(items[middle] as T)) from = middle + 1
    else to = middle
  }
  return from
}
