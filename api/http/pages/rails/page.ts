import { type Html, html } from '#domain/core/html.ts'
import { uploadTypes } from '#domain/rails/input/documents.ts'
import { faultKinds } from '#domain/rails/input/input-faults.ts'
import { isCurrent, type Rail, tiers } from '#domain/rails/rail.ts'
import { figuresOf } from '#domain/rails/report/figures.ts'
import { reportPlans } from '#domain/rails/reports.ts'
import { SANDBOX_TIER } from '#domain/runs/sandbox.ts'
import { priceOf } from '../catalogue.ts'
import { pageOf } from '../layout.ts'
import { fieldsOf } from '../reference/fields.ts'
import { snippet } from '../snippet.ts'
import { exampleOf, type railSample } from './example.ts'

/** A table that scrolls by itself where it is wider than the page. */
function grid(
  name: string,
  head: readonly string[],
  rows: readonly (readonly (string | Html)[])[],
): Html {
  const titles = head.map((title) => html`<th scope="col">${title}</th>`)
  const body = rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  )
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${name}">
<table class="data"><thead><tr>${titles}</tr></thead><tbody>${body}</tbody></table></div>`
}

const faultMeanings: Readonly<Record<(typeof faultKinds)[number], string>> = {
  unknown_field: 'A member that the input does not have.',
  missing_field: 'A required member is not there.',
  missing_column: 'No row of a list has the column that the mapping names.',
  wrong_type: 'A text where a number is due, and the like.',
  wrong_format: 'A date, time, amount or identifier in another form.',
  unknown_value: 'A value that is not among those allowed.',
  out_of_bounds: 'Too small, too large, too long or too many.',
  inconsistent: 'Members that contradict each other.',
  ambiguous: 'A number, date or amount of a file that can be read in more than one way.',
  file_unreadable: 'An uploaded file that cannot be read, with the reason.',
}

const fileMeanings = {
  json: ['result.json, findings.json, gaps.json', 'the work as canonical JSON'],
  html: ['report.html', 'one page for people, with charts, which prints'],
  markdown: ['README.md', 'the run, its key figures, and what each file is'],
  csv: ['tables/*.csv', 'every list of the result, for spreadsheets'],
  jsonl: ['tables/*.jsonl', 'the same rows as JSON Lines'],
} as const

type Shown = Pick<ReturnType<typeof railSample>, 'work'> & { baseUrl: string }

/** The page of a rail: what it does, its tiers, a worked example, what it reads, refuses and delivers. */
export function railPage(rail: Rail, { baseUrl, work }: Shown): string {
  const { key, about } = rail
  const body = html`<h1>${key}</h1>
<p class="lead">${about.summary}</p>
<p class="note">${standing(rail)}</p>
<ul>${about.capabilities.map((one) => html`<li>${one}</li>`)}</ul>
<h2 id="tiers">Tiers</h2>
${tiersPart(rail)}
<h2 id="example">A worked example</h2>
${examplePart(rail, { baseUrl, work })}
<h2 id="input">What it reads</h2>
${inputPart(rail)}
<h2 id="faults">What it refuses, before money</h2>
${faultsPart(key)}
<h2 id="gaps">What it may ask for</h2>
${gapsPart(rail)}
<h2 id="package">What you get</h2>
${packagePart(rail)}`
  return pageOf({ title: `${key} · agent-rails`, path: `/rails/${key}`, body })
}

function standing(rail: Rail): Html {
  const { key, prices } = rail
  if (prices === null)
    return html`It is not sold yet. The sandbox runs it without an agent and without money.`
  const buy = html`<a href="/api/agents-start-here?rail=${key}">Every call of a purchase</a>, in order.`
  return isCurrent(rail) ? html`It runs today: ${priceOf(rail)}. ${buy}` : html`${priceOf(rail)}.`
}

function tiersPart({ prices, tiers: terms }: Rail): Html {
  const row = (name: string, of: (tier: (typeof tiers)[number]) => string) => [
    name,
    ...tiers.map(of),
  ]
  const count = (value: number) => value.toLocaleString('en-US')
  const rows = [
    ...(prices === null ? [] : [row('price before the fee', (tier) => `$${prices[tier]}`)]),
    row('depth', (tier) => terms[tier].depth),
    row('left out of the result', (tier) => terms[tier].leaves_out.join(', ') || 'nothing'),
    row('rows or items', (tier) => {
      const { rows_max } = terms[tier]
      return rows_max === null ? 'no limit' : count(rows_max)
    }),
    row('bytes with uploads', (tier) => `${terms[tier].bytes_max / 1_048_576} MiB`),
    row('changes of the input', (tier) => count(terms[tier].reruns_max)),
    row('report formats', (tier) => terms[tier].report_formats.join(', ')),
    row('aim in hours', (tier) => count(terms[tier].turnaround_hours)),
  ]
  return html`${grid('Tiers', ['', ...tiers], rows)}
<p class="rest">The sandbox runs the tier ${SANDBOX_TIER}. <a href="/api/agent-pricing">The price list</a> has the same terms for programs.</p>`
}

function examplePart(rail: Rail, { baseUrl, work }: Shown): Html {
  const { key } = rail
  const figures = figuresOf(reportPlans[key], work.result).map(
    ({ label, text }) => html`<dt>${label}</dt><dd>${text}</dd>`,
  )
  return html`<p>It needs curl, Node.js and openssl. Paste it, or run <a href="/rails/${key}/example.sh">the file</a>:</p>
${snippet(exampleOf(rail, baseUrl), `The worked example of ${key}`)}
<p>What the sample comes to:</p>
<dl class="facts">${figures}</dl>
<p>Without a call: <a href="/rails/${key}/input.json">its input</a>, <a href="/rails/${key}/result.json">its result</a> and
<a href="/rails/${key}/report.html">its report</a>. They are not signed; the package of the example is. With
<a href="/.well-known/jwks.json">the published keys</a>, <a href="/verify">the verifier</a> and
<code>npx agent-rails verify ${key}.zip --keys keys.json</code> check it offline.</p>`
}

function inputPart(rail: Rail): Html {
  const { key, input, parameters = [] } = rail
  const fields = fieldsOf(input, 'input').map(({ name, type, required, notes }) => [
    html`<code>${name}</code>`,
    `${type}${required ? ', required' : ''}`,
    notes.join(' · '),
  ])
  const changed =
    parameters.length === 0
      ? ''
      : html`<p>A reviewer may change <code>${parameters.join(', ')}</code> and have the work done again.</p>`
  return html`<p><a href="/schemas/rail-input-${key}.v1.json">The schema of its input</a> has every rule. ${uploadsOf(rail)}</p>${changed}
<details><summary>${fields.length} fields</summary>${grid('Fields of the input', ['Field', 'Type', 'Limits'], fields)}</details>`
}

function uploadsOf({ rows, documents }: Rail): Html {
  if (rows !== undefined)
    return html`Its lists (${Object.keys(rows.lists).join(', ')}) may be uploaded as CSV, JSON Lines, JSON, XML, another text or XLSX by
<a href="/docs/input-upload">PUT /api/agent-inputs/{sha256}</a>; <code>columns</code> names your columns where they differ.`
  if (documents === undefined) return html`It takes no uploads.`
  const types = uploadTypes.filter((type) => documents.images || !type.startsWith('image/'))
  const where = documents.within === null ? 'the input' : documents.within
  return html`A text of ${where} may be an uploaded file (${types.join(', ')}), at most ${documents.charsMax} characters of text.`
}

function faultsPart(key: string): Html {
  const rows = faultKinds.map((kind) => [html`<code>${kind}</code>`, faultMeanings[kind]])
  return html`<p>Quote, preflight and start read the whole input. A faulty one is 422
<a href="/problems/input_rejected">input_rejected</a>: all faults by kind, each with its count, first places and values. Nothing is
charged, and ${key} begins nothing.</p>
${grid('Kinds of faults', ['Kind', 'Meaning'], rows)}`
}

function gapsPart({ gapRules }: Rail): Html {
  const rows = Object.entries(gapRules).map(([code, { kind, filled_by }]) => [
    html`<code>${code}</code>`,
    kind,
    filled_by,
  ])
  return html`<p>What an accepted input lacks is a gap of the result. A needed gap stops a run that asks; an advisory one is delivered.</p>
${grid('Gaps', ['Gap', 'Kind', 'Filled by'], rows)}`
}

function packagePart(rail: Rail): Html {
  const { key, audit, sandboxInput, result } = rail
  const files = Object.entries(fileMeanings).map(([format, [name, what]]) => [
    html`<code>${name}</code>`,
    what,
    tiers
      .filter((tier) => rail.tiers[tier].report_formats.some((one) => one === format))
      .join(', '),
  ])
  const sealed = [
    html`<code>manifest.json, completion.jws</code>`,
    'the digest of every other file, and the signature',
    tiers.join(', '),
  ]
  const members = fieldsOf(result, 'output').filter(({ name }) => !/[.[]/.test(name))
  const checks = audit.plan(sandboxInput).map(({ check, of }) => [html`<code>${check}</code>`, of])
  return html`<p>A signed return package, as JSON or zip. Its result has ${members.map(({ name }, at) => html`${at === 0 ? '' : ', '}<code>${name}</code>`)}:
<a href="/schemas/rail-result-${key}.v1.json">the schema</a>.</p>
${grid('Files of the package', ['File', 'Content', 'Tiers'], [...files, sealed])}
<p>Before it is signed, all citations are read again, the work is done again, and these checks reach the same figures in other ways:</p>
${grid('Checks of the work', ['Check', 'What is held against what'], checks)}`
}
