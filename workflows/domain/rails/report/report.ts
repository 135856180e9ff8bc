import type { Drafts } from '../drafts/draft.ts'
import type { RailKey, Tier, Work } from '../rail.ts'
import { formatsOf } from '../tiers.ts'
import { csvOf } from './csv.ts'
import { figuresOf, periodOf } from './figures.ts'
import { jsonLinesOf } from './json-lines.ts'
import { reportPage } from './page.ts'
import { reportPlans } from './plans.ts'
import { readme } from './readme.ts'
import { notesOf, summaryOf, tabled } from './tables.ts'

/**
 * The version of the rules by which reports are made. Signed packages name the digests of their report: other bytes for
 * the same work need another version, next to which the earlier one stays.
 */
export const REPORT_VERSION = 1

/** What a report says of its run. */
export type ReportedRun = {
  run_id: string
  rail: RailKey
  tier: Tier
  usage: string
  partial: boolean
  input_sha256: string
  result_sha256: string
}

const table = /^tables\/[a-z][a-z0-9_]{0,63}\.(csv|jsonl)$/
const payoutFile = /^payouts\/[a-z][a-z0-9.-]{0,63}\.(csv|jsonl|xml)$/

/**
 * Whether a file of this name is part of a report: `report.html`, `README.md`, `tables/….csv`, `tables/….jsonl` or one in `payouts/`.
 */
export const isReportFile = (name: string): boolean =>
  name === 'report.html' || name === 'README.md' || table.test(name) || payoutFile.test(name)

/** The report of a work by the rules of `REPORT_VERSION`, as texts by file name; it says nothing that is not in the work or the run. */
export function reportFiles(
  run: ReportedRun,
  work: Work<unknown> & { drafts?: Drafts },
): Record<string, string> {
  const plan = reportPlans[run.rail]
  const parts = tabled(work.result, plan)
  const about = [summaryOf(parts.singles), notesOf(work)]
  const formats = formatsOf(run.tier)
  const hasTables = formats.includes('csv')
  const tables = hasTables ? [...parts.tables, ...about.filter(({ rows }) => rows.length > 0)] : []
  const lines = formats.includes('jsonl') ? tables : []
  const files = plan.files?.(run, work.result) ?? []
  const shown = {
    title: plan.title,
    hasTables,
    hasLines: lines.length > 0,
    version: REPORT_VERSION,
    facts: factsOf(run, periodOf(plan, work.result)),
    ids: idsOf(run),
    flags: flagsOf(run),
    figures: figuresOf(plan, work.result),
    files,
  }
  return {
    'report.html': reportPage({ ...shown, charts: plan.charts, work, tabled: parts }),
    'README.md': readme({ ...shown, tables, hasDrafts: work.drafts !== undefined }),
    ...Object.fromEntries(tables.map((one) => [`tables/${one.name}.csv`, csvOf(one)])),
    ...Object.fromEntries(lines.map((one) => [`tables/${one.name}.jsonl`, jsonLinesOf(one)])),
    ...Object.fromEntries(files.map(({ name, text }) => [name, text])),
  }
}

const factsOf = (
  { rail, tier, usage }: ReportedRun,
  period: string | undefined,
): [name: string, value: string][] => [
  ['Rail and tier', `${rail}, ${tier}`],
  ['Use', usage],
  ...(period === undefined ? [] : [['Date or period', period] as [string, string]]),
]

const idsOf = (run: ReportedRun): [name: string, value: string][] => [
  ['Run', run.run_id],
  ['SHA-256 of the input', run.input_sha256],
  ['SHA-256 of the result', run.result_sha256],
]

const flagsOf = ({ usage, partial }: ReportedRun): string[] => [
  ...(usage === 'synthetic' ? ['Synthetic: a try, not operational work'] : []),
  ...(partial ? ['Partial: gaps in the input were waived'] : []),
]
