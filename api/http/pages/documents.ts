import { type Html, html } from '#domain/core/html.ts'
import { oneLine } from '#domain/core/plain-text.ts'
import { returnPackagePage } from './return-package.ts'
import {
  type Body,
  type Check,
  checkList,
  type DocumentLinks,
  type DocumentPage,
  factsOf,
  receiptLink,
  scriptless,
  text,
  titleOf,
} from './shown.ts'

/** The policy of these pages: no script runs in them, whatever the text of an agent says (CSP Level 3 § sandbox). */
export const documentPolicy = [
  'sandbox allow-same-origin allow-downloads allow-top-navigation-by-user-activation',
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The answers that people may also open in a browser, by the id of their operation. */
export const documentPages: Readonly<Record<string, DocumentPage>> = {
  'verify-receipt': receiptPage,
  'agent-status': statusPage,
  'return-package-read': returnPackagePage,
}

function receiptPage(body: Body, links: DocumentLinks): string {
  const { verified, receipt_id, kind, checks, payload_sha256 } = body
  const payload = (body['payload'] ?? {}) as Body
  const about = titleOf(kind)
  return scriptless({
    title: `Receipt: ${oneLine(about)}`,
    path: '',
    body: html`<h1>${verified === true ? '✓ Verified' : '✗ Not verified'}: ${text(about)}</h1>
<p class="lead">${sentence(body, payload)}</p>
<h2>Why</h2>
${checkList(checks as Check[])}
<h2>What it says</h2>
${factsOf(factsIn(payload), links)}
<h2>Its place</h2>
<dl class="facts"><dt>Receipt</dt><dd><code>${text(receipt_id)}</code></dd>
<dt>Before it</dt><dd>${previous(payload['prev'])}</dd>
<dt>Digest of its content</dt><dd><code>${text(payload_sha256 ?? 'unknown')}</code></dd></dl>
<p>A program gets the same as JSON from this address. To verify it without this service, keep the receipt and the
<a href="/.well-known/jwks.json">key set</a>, and use <a href="/verify">the verifier</a> or <code>verifyReceipt</code> of the client package.</p>`,
  })
}

/** In words: what was stated, when, and for whom. */
function sentence({ verified, log_state }: Body, { iat, sub, usage, environment }: Body): Html {
  if (verified !== true && log_state === 'pending')
    return html`It waits for its place in the log. Load this page again in a second.`
  if (verified !== true)
    return html`This receipt proves nothing: at least one of the checks below fails.`
  const when = typeof iat === 'number' ? new Date(iat * 1000).toISOString() : 'an unknown time'
  const kind = usage === 'synthetic' ? html` It is marked as synthetic: of a try.` : ''
  const where =
    environment === 'local' ? html` It was issued on a local chain without real funds.` : ''
  return html`This service signed at ${when} what is stated here about <code>${text(sub)}</code>.${kind}${where}`
}

const hidden = new Set(['iss', 'iat', 'kind', 'prev', 'sub', 'usage', 'environment'])

const factsIn = (payload: Body): Body =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => !hidden.has(name)))

function previous(prev: unknown): Html {
  if (prev === null || prev === undefined) return html`none: it is the first of its chain`
  return /^[0-9a-f]{64}$/.test(String(prev)) ? receiptLink(`rc_${String(prev)}`) : receiptLink(prev)
}

function statusPage({ kind, next_action, ...body }: Body, links: DocumentLinks): string {
  const subject = (body['task'] ?? body['work_order'] ?? body) as Body
  const state = String(subject['state'] ?? subject['trust_state'] ?? 'unknown').replaceAll('_', ' ')
  const name = String(kind).replaceAll('_', ' ')
  const members = Object.fromEntries(
    Object.entries(subject).filter(([member]) => member !== 'next_action'),
  )
  return scriptless({
    title: `Status: ${name}`,
    path: '',
    body: html`<h1>This ${name} is ${oneLine(state)}</h1>
<p class="lead">${text(next_action)}</p>
${packageLink(body['return_package_id'], links)}
<h2>Details</h2>
${factsOf(members, links)}
<p>Everyone who has this address can read it, and can do nothing else with it. A program gets the same as JSON.</p>`,
  })
}

/** The page that a task's result has, next to the page of its status. */
const packageLink = (id: unknown, { path }: DocumentLinks): Html | string =>
  typeof id === 'string'
    ? html`<p><a class="action" href="${path}/return-package">Open the return package</a></p>`
    : ''
