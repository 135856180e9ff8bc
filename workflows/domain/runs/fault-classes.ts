import type { Gap } from '../rails/rail.ts'
import { isNeeded } from '../rails/work/work.ts'
import type { Check } from '../tasks/terms.ts'

/** What the exception step finds, and what follows. */
const nextOf = {
  /** The same input did not give the same work. */
  not_repeatable: 'revise',
  /** The work has not the form of its rail. */
  malformed: 'revise',
  /** A citation does not stand in the input. */
  not_cited: 'revise',
  /** Another way to the same figures gives others. */
  not_confirmed: 'revise',
  /** The input lacks what the result is bought for. */
  needed_gap: 'supply_evidence',
  advisory_gap: 'deliver',
} as const
type FaultClass = keyof typeof nextOf

const classOf: Readonly<Record<string, FaultClass>> = {
  result_repeated: 'not_repeatable',
  result_fits: 'malformed',
  citations_stand: 'not_cited',
}

type Classified = { class: FaultClass; next: (typeof nextOf)[FaultClass]; codes: string[] }

/** The failed checks of a validator and the gaps of a work, by class; each class names its codes once, in order. */
export function classify(faults: readonly Check[], gaps: readonly Gap[]): Classified[] {
  const found = new Map<FaultClass, Set<string>>()
  const add = (name: FaultClass, code: string) =>
    found.set(name, (found.get(name) ?? new Set()).add(code))
  for (const { check } of faults)
    add(Object.hasOwn(classOf, check) ? (classOf[check] as FaultClass) : 'not_confirmed', check)
  for (const gap of gaps) add(isNeeded(gap) ? 'needed_gap' : 'advisory_gap', gap.code)
  return (Object.keys(nextOf) as FaultClass[]).flatMap((name) => {
    const codes = [...(found.get(name) ?? [])].sort()
    return codes.length === 0 ? [] : [{ class: name, next: nextOf[name], codes }]
  })
}

/** How many gaps an exception step keeps; the result has all. */
const GAPS_MAX = 25

/** The number of gaps by kind, and the first of them, needed ones before others. */
export function gapsInBrief(gaps: readonly Gap[]) {
  const needed = gaps.filter(isNeeded)
  const advisory = gaps.filter((gap) => !isNeeded(gap))
  const first = [...needed, ...advisory].slice(0, GAPS_MAX)
  return { needed: needed.length, advisory: advisory.length, first }
}

/** What one pass put out and what was wrong with it. */
export type Pass = { work_sha256: string; checks: string[] }

/**
 * What the revision loop does after a pass with faults: another pass in a process of its own, or none where a pass in such a
 * process put out the same work with the same faults, because a third would too.
 */
export function revisionAfter(pass: Pass, before: Pass | undefined): 'revise' | 'refused' {
  if (before === undefined || before.work_sha256 !== pass.work_sha256) return 'revise'
  return before.checks.join() === pass.checks.join() ? 'refused' : 'revise'
}

/** Whether a run stops to ask for evidence: a needed gap of sound work, where its caller wants to be asked and has not waived it. */
export function asksForEvidence(
  { gaps, faults }: { gaps: readonly Gap[]; faults: readonly Check[] },
  { onGaps, isWaived }: { onGaps: 'ask' | 'report'; isWaived: boolean },
): boolean {
  return gaps.some(isNeeded) && faults.length === 0 && onGaps === 'ask' && !isWaived
}
