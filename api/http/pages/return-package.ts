import { type Html, html } from '#domain/core/html.ts'
import { oneLine } from '#domain/core/plain-text.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { dataTable, restOf, resultTables } from './result-tables.ts'
import {
  type Body,
  type Check,
  checkList,
  type DocumentLinks,
  receiptLink,
  scriptless,
  text,
  titleOf,
  transactionLink,
  words,
} from './shown.ts'

const NOTES_MAX = 50
const RECEIPTS_MAX = 100
const QUOTE_MAX = 240
const DETAIL_MAX = 1000

type Report = { verdict: 'proven' | 'refused' | 'indeterminate'; checks: Check[] }
type Note = { code: string; detail: string; citations: { pointer: string; quote?: string }[] }
type Gap = Note & { kind: string; pointer: string; filled_by: string }
type Receipt = {
  receipt_id: string
  kind: string
  issued_at: string
  subject: string
  prev_receipt_id: string | null
  payload: Body
}
type Review = {
  subject_kind: string
  decision: string
  operator_name: string
  decided_at: string
  receipt_id: string
}
type Criterion = { criterion: string; verdict: string; note: string }
type Made = {
  return_package_id: string
  run_id: string
  rail: RailKey
  tier: string
  usage: string
  partial: boolean
  input_sha256: string
  result: unknown
  findings: Note[]
  gaps: Gap[]
  files: { name: string; sha256: string; bytes: number }[]
  proof_hash: string
}
/** The answer of `return-package-read`. */
type Package = {
  task: { task_id: string; state: string; contract_id: string | null; updated_at: string }
  ordered: string[]
  return_package: Made
  completion: Report
  verification_packet: { verified: boolean }
  record: Report
  review_policy: string | null
  reviews: Review[]
  criteria: Criterion[]
  receipts: Receipt[]
}

/** A return package for people: what was ordered and done, why it is to be believed, and everything that proves it. */
export function returnPackagePage(body: Body, links: DocumentLinks): string {
  const read = body as Package
  const { return_package: made } = read
  const rail = words(made.rail)
  return scriptless({
    title: `Return package: ${rail}`,
    path: '',
    body: html`<h1>${headline(read)}: the result of ${rail}</h1>
<p class="lead">${railOf(made.rail).about.summary}${sentence(made)}</p>
<p class="actions"><a class="action" href="${links.path}?as=json">Download the JSON</a>
<a class="action" href="${links.path}?as=zip">Download the files</a></p>
<h2>Ordered and done</h2>
${orderOf(read)}
<h2>Result</h2>
${resultTables(made.result)}
<h2>Gaps</h2>
${gapsOf(made.gaps)}
<h2>Findings</h2>
${notesOf(made.findings, 'None.')}
<h2>Reviewed</h2>
${reviewsOf(read)}
<h2>Why it is to be believed</h2>
${checksOf(read)}
<h2>Receipts</h2>
${receiptsOf(read.receipts, links)}
<h2>Files</h2>
<p>The files to download have the result as a page for people (<code>report.html</code>) and its lists as tables for
spreadsheets (<code>tables/*.csv</code>).</p>
${dataTable('Files', made.files)}
<p>Everyone who has this address can read it, and can do nothing else with it. A program gets the same as JSON. To verify
it without this service, keep the files and the <a href="/.well-known/jwks.json">key set</a>.</p>`,
  })
}

function headline({ completion, record, verification_packet }: Package): string {
  const verdicts = [completion.verdict, record.verdict]
  if (verdicts.includes('refused') || !verification_packet.verified) return '✗ Not verified'
  return verdicts.includes('indeterminate') ? '? Indeterminate' : '✓ Verified'
}

function sentence({ usage, partial }: Made): Html {
  const tried = usage === 'synthetic' ? ' It is marked as synthetic: of a try.' : ''
  const cut = partial ? ' It is partial: gaps in the input were waived.' : ''
  return html`${tried}${cut}`
}

function orderOf({ task, ordered, return_package: made }: Package): Html {
  return html`<dl class="facts">
<dt>Ordered</dt><dd>${ordered.length === 0 ? 'no objective was stated' : ordered.map((line) => html`<div>${text(line)}</div>`)}</dd>
<dt>Rail and tier</dt><dd>${made.rail}, ${made.tier}</dd>
<dt>State of the task</dt><dd>${words(task.state)}, since ${task.updated_at}</dd>
<dt>Run</dt><dd><code>${made.run_id}</code></dd>
<dt>Contract</dt><dd><code>${text(task.contract_id ?? 'none')}</code></dd>
<dt>Digest of the input</dt><dd><code>${made.input_sha256}</code></dd>
<dt>Proof hash</dt><dd><code>${made.proof_hash}</code></dd></dl>`
}

function notesOf(notes: readonly Note[], none: string): Html {
  if (notes.length === 0) return html`<p>${none}</p>`
  const items = notes
    .slice(0, NOTES_MAX)
    .map(
      ({ code, detail, citations }) =>
        html`<li><strong>${words(code)}</strong>: ${text(oneLine(detail, DETAIL_MAX))} ${citations.slice(0, 5).map(citationOf)}</li>`,
    )
  return html`<ul class="notes">${items}</ul>${restOf(notes.length, NOTES_MAX, 'notes')}`
}

/** Needed gaps come first. */
function gapsOf(gaps: readonly Gap[]): Html {
  const filled = gaps
    .toSorted((one, other) => Number(other.kind === 'needed') - Number(one.kind === 'needed'))
    .map(({ kind, code, detail, pointer, filled_by, citations }) => ({
      code: `${kind}: ${code}`,
      detail: `${detail}; filled by ${filled_by} at ${pointer}`,
      citations,
    }))
  return notesOf(filled, 'None: all of the work could be done.')
}

const citationOf = ({ pointer, quote }: Note['citations'][number]): Html => {
  const words = quote === undefined ? '' : html` “${text(oneLine(quote, QUOTE_MAX))}”`
  return html`<small><code>${text(oneLine(pointer, QUOTE_MAX))}</code>${words}</small> `
}

function reviewsOf({ reviews, review_policy, criteria }: Package): Html {
  const decided = reviews.map(
    ({ subject_kind, decision, operator_name, decided_at, receipt_id }) =>
      html`<li>${text(operator_name)}: ${words(decision)} (${words(subject_kind)}) at ${decided_at}, ${receiptLink(receipt_id, html`receipt`)}</li>`,
  )
  const policy =
    review_policy === 'sandbox_policy'
      ? html`<p>The sandbox policy admitted this run: it is a try, which no person has to approve.</p>`
      : ''
  return html`${policy}<ul class="notes">${decided}</ul>
<dl class="facts checks">${criteria.map(criterionOf)}</dl>`
}

const marks: Readonly<Record<string, Html>> = {
  met: html`<dt class="ok">✓ `,
  not_met: html`<dt class="bad">✗ `,
}

/** A criterion that was not judged has neither a tick nor a cross. */
function criterionOf({ criterion, verdict, note }: Criterion): Html {
  const mark = marks[verdict] ?? html`<dt>– `
  const detail = note === '' ? '' : html`: ${text(note)}`
  return html`${mark}${text(criterion.replaceAll('_', ' '))}</dt><dd>${words(verdict)}${detail}</dd>`
}

function checksOf({ completion, record, verification_packet }: Package): Html {
  const said = new Set(completion.checks.map(({ check, detail }) => `${check} ${detail}`))
  const others = record.checks.filter(({ check, detail }) => !said.has(`${check} ${detail}`))
  const attested = {
    check: 'attestation',
    ok: verification_packet.verified,
    detail: 'the receipt in which the service attests the run verifies',
  }
  return html`<p>Each line was computed when this page was opened.</p>
<h3>The package</h3>${checkList([...completion.checks, attested])}
<h3>The record of the task</h3>${checkList(others)}`
}

function receiptsOf(receipts: readonly Receipt[], links: DocumentLinks): Html {
  const items = receipts.slice(0, RECEIPTS_MAX).map((receipt) => {
    const { kind, issued_at, subject, receipt_id, prev_receipt_id } = receipt
    const before = prev_receipt_id === null ? 'first of its chain' : 'follows the one before it'
    return html`<li>${receiptLink(receipt_id, html`${titleOf(kind)}`)}, ${issued_at}
<small>of <code>${text(subject)}</code>; ${before}${transactionOf(receipt, links)}</small></li>`
  })
  return html`<ol class="notes">${items}</ol>${restOf(receipts.length, RECEIPTS_MAX, 'receipts')}`
}

/** The transaction of a payment on chain, which its receipt has in its evidence. */
function transactionOf({ payload }: Receipt, { explorerUrl }: DocumentLinks): Html | string {
  const { evidence, transaction_hash } = payload
  const hash = transaction_hash ?? (evidence as Body | null | undefined)?.['transaction_hash']
  return hash === undefined || hash === null
    ? ''
    : html`; transaction ${transactionLink(hash, explorerUrl)}`
}
