import { type Html, html } from '../../core/html.ts'
import { capitalized, oneLine } from '../../core/plain-text.ts'
import type { Drafts } from '../drafts/draft.ts'
import type { Citation, Finding, Gap, Work } from '../rail.ts'
import { isNeeded } from '../work/work.ts'
import { type Cell, wordsOf } from './cells.ts'
import { chartsOf } from './chart.ts'
import { grouped, isDecimal } from './decimal-text.ts'
import { amountText } from './figures.ts'
import type { ChartPlan, PlannedFile } from './plan.ts'
import { pageStyle } from './style.ts'
import type { Single, Table, Tabled } from './tables.ts'

/** Tables, findings, gaps and further values show so many rows each; the files next to the page have all. */
export const REPORT_ROWS_MAX = 50
const COLUMNS_MAX = 10
const CITATIONS_MAX = 3
const CELL_MAX = 240
/** A column with a longer text gets more width. */
const NARROW_MAX = 40
const DETAIL_MAX = 1000

/** What the page of a run says; `facts` are what the run was, `flags` what limits it. */
export type ReportPage = {
  title: string
  version: number
  /** Whether the package has the tables as files. */
  hasTables: boolean
  hasLines: boolean
  facts: readonly (readonly [name: string, value: string])[]
  /** Identifiers and digests. */
  ids: readonly (readonly [name: string, value: string])[]
  flags: readonly string[]
  figures: readonly { label: string; text: string }[]
  charts: readonly ChartPlan[]
  files: readonly Pick<PlannedFile, 'name' | 'about'>[]
  work: Work<unknown> & { drafts?: Drafts }
  tabled: Tabled
}

/** A report as one page without scripts or other resources. Every text is escaped, control characters and bidi overrides are U+FFFD. */
export function reportPage(page: ReportPage): string {
  const { title, version, hasTables, facts, ids, flags, figures, charts, files, work, tabled } =
    page
  const file = (name: string, data = 'result.json') => (hasTables ? `tables/${name}.csv` : data)
  const drawn = charts.flatMap((chart) => chartsOf(chart, tabled.tables))
  const { markup } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="agent-rails report ${version}">
<title>${title}</title><style>${pageStyle}</style></head><body>
<header><p class="kind">Return package</p><h1>${title}</h1>
${flags.map((flag) => html`<p class="flag">${flag}</p>`)}
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>
<dl class="ids">${ids.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></header>
<main><h2>Key figures</h2>
<dl class="figures">${figures.map(({ label, text }) => html`<div><dt>${label}</dt><dd><bdi>${text}</bdi></dd></div>`)}</dl>${files.length === 0 ? '' : filesHtml(files)}
${drawn.length === 0 ? '' : html`<h2>Charts</h2>${drawn}`}
${findingsHtml(work.findings, file('notes', 'findings.json'))}
${gapsHtml(work.gaps, file('notes', 'gaps.json'))}${work.drafts === undefined ? '' : draftsHtml(work.drafts)}
${tabled.tables.map((table) => tableHtml(table, file(table.name)))}
${furtherValues(tabled, file('summary'))}
${verification}
</main></body></html>
`
  return markup
}

function filesHtml(files: ReportPage['files']): Html {
  const rows = files.map(
    ({ name, about }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${oneLine(about.replaceAll('`', ''), DETAIL_MAX)}</td></tr>\n`,
  )
  return html`<h2>Files to act on</h2><table class="values"><tbody>${rows}</tbody></table>`
}

function findingsHtml(all: readonly Finding[], file: string): Html {
  const title = 'Findings'
  if (all.length === 0)
    return html`<h2>${title}</h2><p class="note">Nothing in the input called for one.</p>`
  const rows = all.slice(0, REPORT_ROWS_MAX).map(({ code, detail, citations }) => {
    const more = citations.length - CITATIONS_MAX
    const rest = more > 0 ? html`<div>and ${more} more</div>` : ''
    return html`<tr><td>${oneLine(wordsOf(code), CELL_MAX)}</td><td>${oneLine(detail, DETAIL_MAX)}</td><td>${citations.slice(0, CITATIONS_MAX).map(citationHtml)}${rest}</td></tr>\n`
  })
  return html`<h2>${title}</h2>${limited(all.length, file)}
<div class="scroll" role="region" tabindex="0" aria-label="${title}"><table class="notes"><thead><tr><th scope="col">What</th><th scope="col">Detail</th><th scope="col">Where in the input</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
}

function gapsHtml(gaps: readonly Gap[], file: string): Html {
  if (gaps.length === 0)
    return html`<h2>Gaps</h2><p class="note">None: all of the work could be done.</p>`
  const rows = gaps
    .toSorted((one, other) => Number(isNeeded(other)) - Number(isNeeded(one)))
    .slice(0, REPORT_ROWS_MAX)
    .map(({ code, detail, pointer, filled_by, ...gap }) => {
      const kind = isNeeded(gap) ? 'needed' : 'advisory'
      const cells = [kind, oneLine(wordsOf(code), CELL_MAX), oneLine(detail, DETAIL_MAX)]
      return html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}<td>${oneLine(filled_by, CELL_MAX)}<div><code>${oneLine(pointer, CELL_MAX)}</code></div></td></tr>\n`
    })
  return html`<h2>Gaps</h2>${limited(gaps.length, file)}
<div class="scroll" role="region" tabindex="0" aria-label="Gaps"><table class="notes"><thead><tr><th scope="col">Kind</th><th scope="col">What</th><th scope="col">Why</th><th scope="col">What would fill it, and where in the input</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
}

function draftsHtml({ notice, drafts, findings, calls }: Drafts): Html {
  const models = [...new Set(calls.flatMap(({ model }) => (model === null ? [] : [model])))]
  const rows = drafts.slice(0, REPORT_ROWS_MAX).map(({ about, sentences }) => {
    const said = sentences.map(
      ({ text, citations }) =>
        html`<div><bdi>${oneLine(text, DETAIL_MAX)}</bdi></div>${citations.map(citationHtml)}`,
    )
    return html`<tr><td>${oneLine(about, CELL_MAX)}</td><td>${said}</td></tr>\n`
  })
  const table =
    rows.length === 0
      ? html`<p class="note">No sentence of the model has quotes that stand.</p>`
      : html`<div class="scroll" role="region" tabindex="0" aria-label="Drafts"><table class="notes"><thead><tr><th scope="col">Question</th><th scope="col">Draft, and what it quotes</th></tr></thead>
<tbody>${rows}</tbody></table></div>`
  const notes = findings
    .slice(0, REPORT_ROWS_MAX)
    .map(({ detail }) => html`<li>${oneLine(detail, DETAIL_MAX)}</li>`)
  const left = notes.length === 0 ? '' : html`<ul>${notes}</ul>`
  const by = models.length === 0 ? '' : ` Model: ${oneLine(models.join(', '), CELL_MAX)}.`
  return html`\n<h2>Drafts by a model</h2><p class="flag">${notice}${by}</p>
${table}${left}`
}

const citationHtml = ({ pointer, quote }: Citation): Html => {
  const words = quote === undefined ? '' : html` <q><bdi>${oneLine(quote, CELL_MAX)}</bdi></q>`
  return html`<div><code>${oneLine(pointer, CELL_MAX)}</code>${words}</div>`
}

/** Which rows are shown, and where all of them are. */
function limited(rows: number, file: string): Html {
  const count = `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}`
  return rows > REPORT_ROWS_MAX
    ? html`<p class="note">The first ${REPORT_ROWS_MAX} of ${count}; <code>${file}</code> has all.</p>`
    : html`<p class="note">${count}, also in <code>${file}</code>.</p>`
}

function tableHtml({ name, columns, amounts, rows }: Table, file: string): Html {
  const filled = columns
    .map((column, at) => ({ column, at }))
    .filter(({ at }) => rows.some((row) => isFilled(row[at])))
  const shown = filled.slice(0, COLUMNS_MAX).map(({ column, at }) => {
    return { column, at, kind: kindOf(rows.map((row) => row[at] ?? null)) }
  })
  const head = shown.map(
    ({ column, kind }) =>
      html`<th scope="col" class="${kind}">${oneLine(wordsOf(column), CELL_MAX)}</th>`,
  )
  const body = rows.slice(0, REPORT_ROWS_MAX).map((row) => {
    const cells = shown.map(
      ({ column, at, kind }) =>
        html`<td class="${kind}">${cellText(row[at] ?? null, amounts.has(column))}</td>`,
    )
    return html`<tr>${cells}</tr>\n`
  })
  const more = columns.length - shown.length
  const rest =
    more > 0
      ? html`<p class="note">The file has ${more} more ${more === 1 ? 'column' : 'columns'}.</p>`
      : ''
  const title = capitalized(wordsOf(name))
  return html`<h2>${title}</h2>${limited(rows.length, file)}
<div class="scroll" role="region" tabindex="0" aria-label="Table: ${title}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>${rest}`
}

/** The class of a column: numbers, wide texts, short words such as dates and ids, or other texts. */
function kindOf(cells: readonly Cell[]): 'n' | 'w' | 's' | 't' {
  if (cells.every((cell) => !isFilled(cell) || isDecimal(cell))) return 'n'
  const texts = cells.slice(0, REPORT_ROWS_MAX).map((cell) => String(cell ?? ''))
  if (texts.some((text) => text.length > NARROW_MAX)) return 'w'
  return texts.every((text) => /^\S{0,20}$/.test(text)) ? 's' : 't'
}

const isFilled = (cell: Cell | undefined): boolean =>
  cell !== undefined && cell !== null && cell !== ''

function cellText(cell: Cell, isAmount: boolean): string {
  if (cell === null) return ''
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return isAmount || typeof cell === 'number' ? grouped(cell) : oneLine(cell, CELL_MAX)
}

function furtherValues({ singles, empty }: Tabled, file: string): Html {
  if (singles.length === 0 && empty.length === 0) return html``
  const rows = singles.slice(0, REPORT_ROWS_MAX).map(({ path, value, currency }: Single) => {
    const name = path.at(-1) ?? ''
    const label = oneLine(wordsOf(path.join(': ')), CELL_MAX)
    return html`<tr><th scope="row">${label}</th><td>${oneLine(amountText(name, value, currency), DETAIL_MAX)}</td></tr>\n`
  })
  const values =
    singles.length === 0
      ? ''
      : html`${limited(singles.length, file)}<table class="values"><tbody>${rows}</tbody></table>`
  const names = empty.slice(0, REPORT_ROWS_MAX).map((name) => oneLine(wordsOf(name), CELL_MAX))
  const more = empty.length - names.length
  const rest = more > 0 ? ` and ${grouped(more)} more` : ''
  const lists =
    names.length === 0 ? '' : html`<p>Lists without rows: ${names.join(', ')}${rest}.</p>`
  return html`<h2>All other values</h2>${values}${lists}`
}

const verification = html`<h2>How to verify</h2>
<p>The service signed the SHA-256 of this page and of every other file of the package (<code>manifest.json</code>,
<code>completion.jws</code>). Save its key set while you trust it, and check the zip without a network:</p>
<pre tabindex="0">npx agent-rails verify PACKAGE.zip --keys keys.json</pre>
<p>This also makes the page and the tables again from <code>result.json</code>, <code>findings.json</code> and
<code>gaps.json</code> and compares them. Places in the input are JSON pointers (RFC 6901).</p>`
