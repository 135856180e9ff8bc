import { jsonText, oneLine, printable } from '#domain/core/plain-text.ts'
import { type Html, html } from './html.ts'
import { documentOf, type Page } from './layout.ts'

/** What a page of a document links to. */
type DocumentLinks = { readonly explorerUrl: string }
type Body = Readonly<Record<string, unknown>>
type DocumentPage = (body: Body, links: DocumentLinks) => string

/** The policy of these pages: no script runs in them, whatever the text of an agent says (CSP Level 3 § sandbox). */
export const documentPolicy = [
  'sandbox allow-same-origin allow-top-navigation-by-user-activation',
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
}

type Check = { check: string; ok: boolean; detail: string }

function receiptPage(body: Body, links: DocumentLinks): string {
  const { verified, receipt_id, kind, checks, payload_sha256 } = body
  const payload = (body['payload'] ?? {}) as Body
  const about = titles[String(kind)] ?? String(kind ?? 'a document').replaceAll('_', ' ')
  return scriptless({
    title: `Receipt: ${oneLine(about)}`,
    path: '',
    body: html`<h1>${verified === true ? '✓ Verified' : '✗ Not verified'}: ${text(about)}</h1>
<p class="lead">${sentence(verified === true, payload)}</p>
<h2>Why</h2>
<dl class="facts">${(checks as Check[]).map(
      ({ check, ok, detail }) =>
        html`<dt>${ok ? '✓' : '✗'} ${check.replaceAll('_', ' ')}</dt><dd>${text(detail)}</dd>`,
    )}</dl>
<h2>What it says</h2>
${factsOf(payload, links)}
<h2>Its place</h2>
<dl class="facts"><dt>Receipt</dt><dd><code>${text(receipt_id)}</code></dd>
<dt>Before it</dt><dd>${previous(payload['prev'])}</dd>
<dt>Digest of its content</dt><dd><code>${text(payload_sha256 ?? 'unknown')}</code></dd></dl>
<p>A program gets the same as JSON from this address. To verify it without this service, keep the receipt and the
<a href="/.well-known/jwks.json">key set</a>, and use <code>verifyReceipt</code> of the client package.</p>`,
  })
}

/** A page without the script of the other pages: nothing may run here. */
const scriptless = (page: Pick<Page, 'title' | 'path' | 'body'>): string =>
  documentOf({ ...page, head: html``, frame: 'page' })

/** In words: what was stated, when, and for whom. */
function sentence(verified: boolean, { iat, sub, usage, environment }: Body): Html {
  if (!verified) return html`This receipt proves nothing: at least one of the checks below fails.`
  const when = typeof iat === 'number' ? new Date(iat * 1000).toISOString() : 'an unknown time'
  const kind = usage === 'synthetic' ? html` It is marked as synthetic: of a try.` : ''
  const where =
    environment === 'local' ? html` It was issued on a local chain without real funds.` : ''
  return html`This service signed at ${when} what is stated here about <code>${text(sub)}</code>.${kind}${where}`
}

const hidden = new Set(['iss', 'iat', 'kind', 'prev', 'sub', 'usage', 'environment'])

function factsOf(payload: Body, { explorerUrl }: DocumentLinks): Html {
  const rows = Object.entries(payload).filter(([name]) => !hidden.has(name))
  return html`<dl class="facts">${rows.map(
    ([name, value]) =>
      html`<dt>${oneLine(name.replaceAll('_', ' '))}</dt><dd>${shown(name, value, explorerUrl)}</dd>`,
  )}</dl>`
}

function shown(name: string, value: unknown, explorerUrl: string): Html {
  if (name === 'receipt_id' || name.endsWith('_receipt_id')) return receiptLink(value)
  const isHash = typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)
  if (name === 'transaction_hash' && isHash && explorerUrl !== '')
    return html`<a href="${explorerUrl}/tx/${value}">${value}</a>`
  if (typeof value === 'object' && value !== null)
    return html`<pre tabindex="0">${jsonText(value)}</pre>`
  return text(value ?? 'none')
}

const receiptLink = (value: unknown): Html =>
  typeof value === 'string' && /^rc_[0-9a-f]{64}$/.test(value)
    ? html`<a href="/api/verify-receipt?receipt_id=${value}">${value}</a>`
    : text(value ?? 'none')

function previous(prev: unknown): Html {
  if (prev === null || prev === undefined) return html`none: it is the first of its chain`
  return /^[0-9a-f]{64}$/.test(String(prev)) ? receiptLink(`rc_${String(prev)}`) : receiptLink(prev)
}

/** Text of anyone: escaped, without control characters, and kept apart from the direction of the text around it. */
const text = (value: unknown): Html => html`<bdi>${printable(String(value))}</bdi>`

const titles: Readonly<Record<string, string>> = {
  payout_created: 'a payout was created',
  payout_authorized: 'a payout was authorized',
  payout_executed: 'a payout was executed',
  payout_final: 'a payout is final on chain',
  settlement_receipt: 'a payment was settled',
  review_decision: 'an operator decided',
  control_change: 'an operator acted',
  attestation: 'the result of a run was attested',
  exception: 'a task was stopped',
  exception_closed: 'a difference was closed',
  onboarding: 'an agent was registered',
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
<h2>Details</h2>
${factsOf(members, links)}
<p>Everyone who has this address can read it, and can do nothing else with it. A program gets the same as JSON.</p>`,
  })
}
