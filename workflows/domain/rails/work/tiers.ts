import type { Finding, Gap, Rail, ReportFormat, Tier, Tiers, TierTerms, Work } from '../rail.ts'
import { finishedWork, isNeeded } from './work.ts'

const MEBIBYTE = 1024 * 1024

/** What the tiers of all rails have in common. */
const shared: Record<
  Tier,
  Omit<TierTerms, 'depth' | 'leaves_out' | 'leaves_out_codes' | 'rows_max'>
> = {
  entry: {
    bytes_max: 16 * MEBIBYTE,
    reruns_max: 2,
    report_formats: ['json', 'html', 'markdown'],
    turnaround_hours: 24,
  },
  standard: {
    bytes_max: 128 * MEBIBYTE,
    reruns_max: 5,
    report_formats: ['json', 'html', 'markdown', 'csv'],
    turnaround_hours: 8,
  },
  pro: {
    bytes_max: 256 * MEBIBYTE,
    reruns_max: 20,
    report_formats: ['json', 'html', 'markdown', 'csv', 'jsonl'],
    turnaround_hours: 2,
  },
}

const priorities: Readonly<Record<Tier, number>> = { pro: 2, standard: 3, entry: 4 }

/** The files that the package of a tier has next to its data. */
export const formatsOf = (tier: Tier): readonly ReportFormat[] => shared[tier].report_formats

/** Temporal's priority of the work of a tier, 1 the most urgent. */
export const priorityOf = (tier: Tier): number => priorities[tier]

/** The hours within which a tier aims to end. */
export const turnaroundOf = (tier: Tier): number => shared[tier].turnaround_hours

type Depths = {
  /** What the entry tier does without; the others have all of it. */
  entry: { depth: string; leaves_out: string[]; leaves_out_codes: string[] }
  whole: string
  rows: Readonly<Record<Tier, number>> | null
}

const nothingLeftOut = { leaves_out: [], leaves_out_codes: [] }

/** The tiers of a rail. */
export function tiersOf({ entry, whole, rows }: Depths): Tiers {
  const terms = (
    tier: Tier,
    depth: string,
    {
      leaves_out,
      leaves_out_codes,
    }: Pick<TierTerms, 'leaves_out' | 'leaves_out_codes'> = nothingLeftOut,
  ): TierTerms => ({
    depth,
    leaves_out,
    leaves_out_codes,
    rows_max: rows === null ? null : rows[tier],
    ...shared[tier],
  })
  return {
    entry: terms('entry', entry.depth, entry),
    standard: terms('standard', whole),
    pro: terms('pro', `${whole}, with each table also as JSON Lines`),
  }
}

/** Rows that are uploaded or inline. */
export const rowTiers: Readonly<Record<Tier, number>> = {
  entry: 10_000,
  standard: 2_000_000,
  pro: 10_000_000,
}

type Noted = Finding | Gap
/** Whether a tier leaves out a finding or a gap. A needed gap is always delivered. */
const isLeftOut =
  ({ leaves_out_codes }: TierTerms) =>
  (noted: Noted): boolean =>
    leaves_out_codes.includes(noted.code) && !('kind' in noted && isNeeded(noted))
const without = <One extends Noted>(noted: readonly One[], terms: TierTerms): One[] => {
  const leftOut = isLeftOut(terms)
  return noted.filter((one) => !leftOut(one))
}

/**
 * A work as its tier has it: without the members that the tier leaves out, which a finding names, and without the findings and
 * advisory gaps that say what those members say.
 */
export function delivered<Result>(
  { tiers }: Pick<Rail, 'tiers'>,
  tier: Tier,
  work: Work<Result>,
): Work<unknown> {
  const terms = tiers[tier]
  const { leaves_out } = terms
  if (leaves_out.length === 0) return work
  const kept = Object.entries(work.result as object).filter(([name]) => !leaves_out.includes(name))
  const left: Finding = {
    code: 'not_in_tier',
    detail: `the tier ${tier} has no ${leaves_out.join(', ')}`,
    citations: [],
  }
  return finishedWork(
    Object.fromEntries(kept),
    [...without(work.findings, terms), left],
    without(work.gaps, terms),
  )
}

/** A delivered work with the members, findings and gaps that its tier leaves out, taken from the whole. */
export function completed(
  { tiers }: Pick<Rail, 'tiers'>,
  tier: Tier,
  { work, whole }: { work: Work<unknown>; whole: Work<unknown> },
): Work<unknown> {
  const terms = tiers[tier]
  const { leaves_out } = terms
  if (leaves_out.length === 0 || typeof work.result !== 'object' || work.result === null)
    return work
  if (leaves_out.some((name) => Object.hasOwn(work.result as object, name)))
    return { ...work, result: null }
  const members = whole.result as Record<string, unknown>
  const filled = Object.fromEntries(leaves_out.map((name) => [name, members[name]]))
  const leftOut = isLeftOut(terms)
  return finishedWork(
    { ...work.result, ...filled },
    [...work.findings, ...whole.findings.filter(leftOut)],
    [...work.gaps, ...whole.gaps.filter(leftOut)],
  )
}

type Listed = Pick<Rail, 'counted' | 'rows'>
const listsOf = ({ counted, rows }: Listed) => counted ?? Object.keys(rows?.lists ?? {})

/** The rows or items that stand in an input itself. */
export function rowsIn(rail: Listed, input: unknown): number {
  const given = (input ?? {}) as Record<string, unknown>
  const lists = listsOf(rail).map((name) => given[name])
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
}

/** What is wrong with the size of an input for a tier; null where it fits. */
export function oversize(
  rail: Pick<Rail, 'key' | 'tiers' | 'counted' | 'rows'>,
  tier: Tier,
  size: { input: unknown; uploadedRows?: number; bytes?: number },
): { pointer: string; message: string } | null {
  const { key } = rail
  const { rows_max, bytes_max } = rail.tiers[tier]
  const count = rowsIn(rail, size.input) + (size.uploadedRows ?? 0)
  if (rows_max !== null && count > rows_max) {
    const message = `${key} ${tier} takes at most ${rows_max} rows, these are ${count}`
    return { pointer: `/${listsOf(rail)[0] ?? ''}`, message }
  }
  if ((size.bytes ?? 0) > bytes_max) {
    const message = `${key} ${tier} takes at most ${bytes_max} bytes, these are ${size.bytes}`
    return { pointer: '', message }
  }
  return null
}
