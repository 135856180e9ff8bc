import { canonicalJson } from '../../core/canonical-json.ts'
import { markdownCode } from '../../core/plain-text.ts'
import type { Drafts } from '../drafts/draft.ts'
import type { RailKey, Tier, Work } from '../rail.ts'
import { formatsOf } from '../work/tiers.ts'
import { csvOf } from './csv.ts'
import { grouped } from './decimal-text.ts'
import { figuresOf, periodOf } from './figures.ts'
import { REPORT_ROWS_MAX, type ReportPage, reportPage } from './page.ts'
import type { ReportPlan } from './plan.ts'
import { notesOf, summaryOf, type Table, tabled } from './tables.ts'

/** A table as JSON Lines: an object for each row, by column. */
const jsonLinesOf = ({ columns, rows }: Pick<Table, 'columns' | 'rows'>): string =>
  rows
    .map((row) => {
      const cells = columns.map((column, at) => [column, row[at] ?? null] as const)
      return `${canonicalJson(Object.fromEntries(cells))}\n`
    })
    .join('')

type Readme = Pick<
  ReportPage,
  'title' | 'facts' | 'ids' | 'flags' | 'figures' | 'hasLines' | 'files'
> & {
  tables: readonly Table[]
  hasDrafts: boolean
}

/** The README of a package: what it is of, its key figures and its files. Texts of the result are inline code. */
const readme = ({
  title,
  facts,
  ids,
  flags,
  figures,
  tables,
  hasLines,
  files,
  hasDrafts,
}: Readme): string => `# ${title}

${flags.map((flag) => `**${flag}**\n\n`).join('')}| Run | |
|---|---|
${[...facts, ...ids].map(([name, value]) => `| ${name} | ${markdownCode(value)} |`).join('\n')}

| Key figure | |
|---|---|
${figures.map(({ label, text }) => `| ${label} | ${markdownCode(text)} |`).join('\n')}

| File | Content |
|---|---|
| report.html | the result for people: key figures, charts, findings, gaps and the first ${REPORT_ROWS_MAX} rows of each table; prints from a browser |
${tables.map(({ name, rows }) => `| tables/${name}.csv | ${grouped(rows.length)} ${rows.length === 1 ? 'row' : 'rows'} |\n`).join('')}${files.map(({ name, about }) => `| ${name} | ${about} |\n`).join('')}| result.json | the result itself; report.html, README.md and the tables are made from it, the findings and the gaps |
| findings.json, gaps.json | what was found; what could not be done, and why |
${hasDrafts ? draftsRow : ''}| manifest.json | the SHA-256 and size of every other file but completion.jws |
| completion.jws | the signature of the service over the manifest |

${tables.length === 0 ? '' : tablesNote}${hasLines ? linesNote : ''}The input is not in the package; the signature names its SHA-256.

Save the key set of the service (/.well-known/jwks.json) while you trust it, and verify the zip offline:

    npx agent-rails verify PACKAGE.zip --keys keys.json
`

const draftsRow =
  '| drafts.json | what a model drafted for open questions, each sentence with exact quotes of the input; no part of the result |\n'

const tablesNote = `The tables are CSV (RFC 4180) in UTF-8. Amounts are in major units of the currency of their row; columns that end with
\`_minor\` are minor units, because the result names no currency for them. A text that a spreadsheet would run as a
formula begins with an apostrophe, and control characters are U+FFFD: result.json has every text as it is.
`
const linesNote = `Each table is also there as JSON Lines (tables/*.jsonl), an object for each row, with all texts as they are.
`

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

export type ReportedWork = Work<unknown> & { drafts?: Drafts }

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
  work: ReportedWork,
  plan: ReportPlan,
): Record<string, string> {
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
