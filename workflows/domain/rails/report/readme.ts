import { markdownCode } from '../../core/plain-text.ts'
import { grouped } from './decimal-text.ts'
import { REPORT_ROWS_MAX, type ReportPage } from './page.ts'
import type { Table } from './tables.ts'

type Readme = Pick<
  ReportPage,
  'title' | 'facts' | 'ids' | 'flags' | 'figures' | 'hasLines' | 'files'
> & {
  tables: readonly Table[]
  hasDrafts: boolean
}

/** The README of a package: what it is of, its key figures and its files. Texts of the result are inline code. */
export const readme = ({
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
