import { errorCodes } from '#domain/core/error-codes.ts'
import { type Html, html } from '#domain/core/html.ts'
import { exampleOf } from '../../../examples/index.ts'
import type { AnyOperation } from '../../../operation.ts'
import { documentOf } from '../layout.ts'
import { snippet } from '../snippet.ts'
import { codesOf, factsOf, familyOf, type Reference } from './entry.ts'
import { type Field, fieldsOf, requestFieldsOf } from './fields.ts'
import { samplesOf } from './samples.ts'
import { tryForm } from './try-form.ts'

/** The entry of one operation: facts, fields, examples, refusals, and a form that calls it on this host. */
function operationEntry(operation: AnyOperation, reference: Reference): Html {
  const { id, http, mode, summary, output, status } = operation
  return html`<p class="trail"><a href="/docs">API reference</a> / ${familyOf(operation)}</p>
<h1><code>${id}</code></h1>
<p class="call"><span class="verb">${http.method}</span> <code>${http.path}</code>${mode === undefined ? '' : html` <span class="mode">mode <code>${mode}</code></span>`}</p>
<p class="lead">${summary}</p>
<dl class="facts">${factsOf(operation).map(
    ([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>
`,
  )}</dl>
<h2 id="request">Request</h2>
${fieldTable(requestFieldsOf(operation), 'Fields of the request', 'It takes no fields.')}
${samples(operation, reference)}
<h2 id="answer">Answer</h2>
<p>${answerOf(operation)}</p>
<details class="fields"><summary>Fields of the answer</summary>
${fieldTable(fieldsOf(output, 'output'), 'Fields of the answer', 'Its members are not fixed.')}</details>
${snippet(JSON.stringify(exampleOf(operation).output, null, 2), `An answer of ${id} with status ${status[0]}`)}
<h2 id="refusals">Refusals</h2>
${refusals(operation, reference)}
<h2 id="try">Try it</h2>
${tryForm(operation, reference)}`
}

function answerOf({ status, asFiles, next }: AnyOperation): Html {
  const others = status.slice(1)
  return html`Status ${status[0]}${others.length === 0 ? '' : ` or ${others.join(', ')}`}, as JSON${
    asFiles === undefined ? '' : html`, or as files with <code>Accept: application/zip</code>`
  }.${next === undefined ? '' : html` With <code>Prefer: wait=20</code> it comes with the next change.`}`
}

function fieldTable(fields: readonly Field[], caption: string, none: string): Html {
  if (fields.length === 0) return html`<p>${none}</p>`
  const rows = fields.map(
    ({ name, type, required, notes }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${type}${required ? html` <span class="required">required</span>` : ''}</td><td>${notes.map(
        (note, index) => html`${index === 0 ? '' : ' · '}${note}`,
      )}</td></tr>
`,
  )
  return html`<table class="rows"><caption>${caption}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning and limits</th></tr></thead>
<tbody>${rows}</tbody></table>`
}

/** The same call in three languages, one after the other; the script makes tabs of them. */
function samples(operation: AnyOperation, { urls }: Reference): Html {
  const parts = samplesOf(operation, urls).map(
    ({ language, code }) =>
      html`<section class="sample" data-language="${language}" aria-label="${language}"><h3>${language}</h3>${snippet(code, `${operation.id} in ${language}`)}</section>
`,
  )
  return html`<div class="samples">${parts}</div>`
}

function refusals(operation: AnyOperation, { urls, host }: Reference): Html {
  const problems = host === 'base' ? '' : urls.baseUrl
  const rows = codesOf(operation).map(
    (code) =>
      html`<tr><th scope="row"><a href="${problems}/problems/${code}"><code>${code}</code></a></th><td>${errorCodes[code].status}</td><td>${errorCodes[code].title}</td></tr>
`,
  )
  return html`<table class="rows"><caption>Codes that this operation may answer with</caption>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody></table>`
}

/** The operations that a host serves. */
export const servedBy = ({ registry, host }: Reference): AnyOperation[] =>
  registry.filter(({ http }) => http.host === host || http.host === 'both')

/** The first page: every operation of this host by family, each with a link to its entry. */
export function indexPage(reference: Reference): string {
  const served = servedBy(reference)
  const groups = familiesOf(served).map(
    ([family, members]) =>
      html`<h2 id="family-${family}">${family}</h2>
<ul class="operations">${members.map(listed)}</ul>
`,
  )
  const body = html`<h1>API reference</h1>
<p class="lead">${served.length} operations of <code>${ownUrl(reference)}</code>, each with its fields, an example, samples
in curl, TypeScript and Python, and a form that calls it here.</p>
<p>${otherHost(reference)} For machines there is <a href="${pathOnBase(reference, '/openapi.json')}">OpenAPI 3.1</a>. A refusal is
<code>application/problem+json</code>; <a href="${pathOnBase(reference, '/problems')}">each code</a> has a page of its own.</p>
${groups}`
  return framed(reference, { title: 'API reference · agent-rails', path: '/docs', body })
}

/** The page of one operation. */
export function operationPage(operation: AnyOperation, reference: Reference): string {
  const { id } = operation
  return framed(reference, {
    title: `${id} · agent-rails API`,
    path: `/docs/${id}`,
    body: operationEntry(operation, reference),
    current: operation,
  })
}

const ownUrl = ({ host, urls }: Reference): string => (host === 'base' ? urls.baseUrl : urls.osUrl)
const pathOnBase = ({ host, urls }: Reference, path: string): string =>
  host === 'base' ? path : urls.baseUrl + path

function otherHost({ host, urls }: Reference): Html {
  return host === 'base'
    ? html`Handshakes, contracts and tasks of agents are on the <a href="${urls.osUrl}/docs">OS host</a>.`
    : html`Everything else is on the <a href="${urls.baseUrl}/docs">public host</a>.`
}

function familiesOf(operations: readonly AnyOperation[]): [string, AnyOperation[]][] {
  const groups = new Map<string, AnyOperation[]>()
  for (const operation of operations) {
    const family = familyOf(operation)
    groups.set(family, [...(groups.get(family) ?? []), operation])
  }
  return [...groups]
}

const listed = ({ id, http, mode, summary }: AnyOperation): Html =>
  html`<li id="${id}"><a href="/docs/${id}">${id}</a> <span class="place"><span class="verb">${http.method}</span> <code>${http.path}</code>${mode === undefined ? '' : html` mode <code>${mode}</code>`}</span>
<p>${summary}</p></li>
`

type Content = {
  readonly title: string
  readonly path: string
  readonly body: Html
  readonly current?: AnyOperation
}

function framed(reference: Reference, { title, path, body, current }: Content): string {
  return documentOf({
    title,
    path,
    host: pathOnBase(reference, ''),
    frame: 'reference page',
    head: html`<link rel="stylesheet" href="/docs/reference.css">
<script src="/pages/copy.js" defer></script>
<script src="/docs/reference.js" defer></script>`,
    body: html`<div class="columns"><div class="side">
<search><label for="find">Find an operation</label><input id="find" type="search" placeholder="name, field, path or code" autocomplete="off" disabled>
<p id="found" role="status"></p><ul id="results"></ul></search>
${navigation(reference, current)}</div>
<div class="entry">${body}</div></div>`,
  })
}

function navigation(reference: Reference, current: AnyOperation | undefined): Html {
  const shown = current && familyOf(current)
  const groups = familiesOf(servedBy(reference)).map(
    ([family, members]) =>
      html`<details${family === shown ? html` open` : ''}><summary>${family}</summary><ul>${members.map(
        ({ id }) =>
          html`<li><a href="/docs/${id}"${id === current?.id ? html` aria-current="page"` : ''}>${id}</a></li>`,
      )}</ul></details>
`,
  )
  return html`<nav class="families" aria-label="Operations">${groups}</nav>`
}

/** What the search looks through: every operation of both hosts, with an address where it is on the other one. */
export function searchDocuments(reference: Reference): object[] {
  const { registry, host, urls } = reference
  return registry.map((operation) => {
    const { id, http, mode, summary, input, output } = operation
    const here = http.host === host || http.host === 'both'
    const other = host === 'base' ? urls.osUrl : urls.baseUrl
    return {
      id,
      summary,
      call: `${http.method} ${http.path}${mode === undefined ? '' : ` ${mode}`}`,
      family: familyOf(operation),
      fields: namesOf(fieldsOf(input, 'input')),
      answer: namesOf(fieldsOf(output, 'output')),
      codes: codesOf(operation).join(' '),
      ...(here ? {} : { at: `${other}/docs/${id}` }),
    }
  })
}

const namesOf = (fields: readonly Field[]): string =>
  [...new Set(fields.map(({ name }) => name.split('.').at(-1)?.replace('[]', '')))].join(' ')
