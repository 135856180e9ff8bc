import { html } from '#domain/core/html.ts'
import { oneLine } from '#domain/core/plain-text.ts'
import { type Body, scriptless, text } from './shown.ts'

/** A problem as a page, for the address of a document that a person opened. */
export function refusalPage({ status, title, detail, next_action, request_id }: Body): string {
  const unknown = status === 404
  return scriptless({
    title: `${String(status)}: ${oneLine(String(title))}`,
    path: '',
    body: html`<h1>${unknown ? 'There is no document at this address' : text(title)}</h1>
<p class="lead">${unknown ? 'Check that the link is whole: the last part of it is long, and every character counts.' : text(next_action)}</p>
<dl class="facts"><dt>Reason</dt><dd>${text(detail)}</dd>
<dt>What to do</dt><dd>${text(next_action)}</dd>
<dt>Status</dt><dd>${text(status)}</dd>
<dt>Request</dt><dd><code>${text(request_id)}</code></dd></dl>
<p>A program gets the same as problem JSON from this address.</p>`,
  })
}
