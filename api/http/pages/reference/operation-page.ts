import { errorCodes } from '#domain/core/error-codes.ts'
import { type Html, html } from '#domain/core/html.ts'
import type { AnyOperation } from '../../../operation.ts'
import { snippet } from '../snippet.ts'
import type { Reference } from './entry.ts'
import { codesOf, factsOf, familyOf } from './entry.ts'
import { type Field, fieldsOf, requestFieldsOf } from './fields.ts'
import { samplesOf } from './samples.ts'
import { tryForm } from './try-form.ts'

/** The entry of one operation: facts, fields, examples, refusals, and a form that calls it on this host. */
export function operationEntry(operation: AnyOperation, reference: Reference): Html {
  const { id, http, mode, summary, output, example, status } = operation
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
${snippet(JSON.stringify(example.output, null, 2), `An answer of ${id} with status ${status[0]}`)}
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
