import type { Finding, Gap, GapKind, GapRules } from '../rail.ts'

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
