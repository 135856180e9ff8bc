import { dayOf, dayText } from '../values/calendar.ts'
import type { InspectedItem } from './item.ts'
import type { Section } from './profiles.ts'
import type { PacketInput, SectionCoverage } from './schema.ts'

/** An item with its points and the codes of what keeps it from two. */
export type Scored = {
  inspected: InspectedItem
  points: number
  reasons: string[]
  isFailing: boolean
  supersededBy: string | null
}

/**
 * What a section comes to: its best item, at most one point where another item of it is worth nothing, and none where an item's
 * content is not what its digest says or where an item says that the control fails.
 */
export function cover(
  section: Section,
  own: readonly Scored[],
  period: PacketInput['period'],
): SectionCoverage {
  const live = own.filter(({ supersededBy }) => supersededBy === null)
  const spoiled = own.some(({ inspected }) => inspected.digest === 'mismatch')
  const isFailing = live.some((one) => one.isFailing)
  const reasons = new Set(live.flatMap((one) => one.reasons))
  if (spoiled) reasons.add('digest_mismatch')
  if (own.length === 0) reasons.add('section_missing')
  const open = own.length === 0 ? null : uncovered(section, live, period)
  if (open !== null) reasons.add('period_not_covered')
  const sampled = live.some(({ inspected }) => inspected.item.sample_of !== undefined)
  const unsampled = section.needs.includes('sample') && own.length > 0 && !sampled
  if (unsampled) reasons.add('sample_missing')
  const best = Math.max(0, ...live.map(({ points }) => points))
  const isPartial = open !== null || unsampled || live.some(({ points }) => points === 0)
  const points = spoiled || isFailing ? 0 : Math.min(best, isPartial ? 1 : 2)
  return {
    section: section.key,
    title: section.title,
    required: section.required,
    max_age_days: section.maxAgeDays,
    state: stateOf(own.length, isFailing, points),
    points,
    reasons: [...reasons].toSorted(),
    items: own.map(({ inspected }) => inspected.cited),
  }
}

function stateOf(count: number, isFailing: boolean, points: number): SectionCoverage['state'] {
  if (count === 0) return 'missing'
  if (isFailing) return 'failing'
  const state = (['unusable', 'partial', 'present'] as const)[points]
  if (state === undefined) throw new RangeError(`a section has ${points} points`)
  return state
}

/** The first days of the packet's period that no item covers, where the section asks for periods; else null. */
export function uncovered(
  { needs }: Section,
  live: readonly Scored[],
  period: PacketInput['period'],
): { from: string; to: string } | null {
  if (period === undefined || !needs.includes('period')) return null
  const covered = live
    .flatMap(({ inspected }) =>
      inspected.item.period === undefined ? [] : [inspected.item.period],
    )
    .toSorted((a, b) => dayOf(a.from) - dayOf(b.from))
  const last = dayOf(period.to)
  let next = dayOf(period.from)
  for (const { from, to } of covered) {
    if (dayOf(from) > next) break
    next = Math.max(next, dayOf(to) + 1)
  }
  if (next > last) return null
  const after = covered.find(({ from }) => dayOf(from) > next)
  const end = after === undefined ? last : Math.min(last, dayOf(after.from) - 1)
  return { from: dayText(next), to: dayText(end) }
}
