import { type Html, html } from '#domain/core/html.ts'
import { jsonText, oneLine, printable } from '#domain/core/plain-text.ts'
import { documentOf, type Page } from './layout.ts'

// How pages of documents show what stands in them: every text in them may be an agent's.

/** What a page of a document links to: a block explorer (empty: none), and its own path. */
export type DocumentLinks = { readonly explorerUrl: string; readonly path: string }
export type Body = Readonly<Record<string, unknown>>
export type DocumentPage = (body: Body, links: DocumentLinks) => string
export type Check = { check: string; ok: boolean; detail: string }

/** A page without the script of the other pages: nothing may run here. */
export const scriptless = (page: Pick<Page, 'title' | 'path' | 'body'>): string =>
  documentOf({ ...page, head: html``, frame: 'page' })

/** Text of anyone: escaped, without control characters, and kept apart from the direction of the text around it. */
export const text = (value: unknown): Html => html`<bdi>${printable(String(value))}</bdi>`

/** The name of a member as words. */
export const words = (name: string): string => oneLine(name.replaceAll('_', ' '), 80)

/** Checks with a tick or a cross, and the reason of each. */
export const checkList = (checks: readonly Check[]): Html =>
  html`<dl class="facts checks">${checks.map(
    ({ check, ok, detail }) =>
      html`<dt class="${ok ? 'ok' : 'bad'}">${ok ? '✓' : '✗'} ${words(check)}</dt><dd>${text(detail)}</dd>`,
  )}</dl>`

/** The members of an object as a list of facts. */
export function factsOf(members: Body, { explorerUrl }: DocumentLinks): Html {
  return html`<dl class="facts">${Object.entries(members).map(
    ([name, value]) => html`<dt>${words(name)}</dt><dd>${shown(name, value, explorerUrl)}</dd>`,
  )}</dl>`
}

function shown(name: string, value: unknown, explorerUrl: string): Html {
  if (name === 'receipt_id' || name.endsWith('_receipt_id')) return receiptLink(value)
  if (name === 'transaction_hash') return transactionLink(value, explorerUrl)
  if (typeof value === 'object' && value !== null)
    return html`<pre tabindex="0">${jsonText(value)}</pre>`
  return text(value ?? 'none')
}

/** A transaction at the block explorer, if there is one. */
export function transactionLink(value: unknown, explorerUrl: string): Html {
  const isHash = typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)
  return isHash && explorerUrl !== ''
    ? html`<a href="${explorerUrl}/tx/${value}">${value}</a>`
    : text(value ?? 'none')
}

export const receiptLink = (value: unknown, name?: Html): Html =>
  typeof value === 'string' && /^rc_[0-9a-f]{64}$/.test(value)
    ? html`<a href="/api/verify-receipt?receipt_id=${value}">${name ?? value}</a>`
    : text(value ?? 'none')

/** What a receipt states, by its kind. */
export const titleOf = (kind: unknown): string =>
  titles[String(kind)] ?? words(String(kind ?? 'a document'))

const titles: Readonly<Record<string, string>> = {
  payout_created: 'a payout was created',
  payout_authorized: 'a payout was authorized',
  payout_executed: 'a payout was executed',
  payout_final: 'a payout is final on chain',
  settlement_receipt: 'a payment was settled',
  usage_receipt: 'credit was used',
  review_decision: 'an operator decided',
  control_change: 'an operator acted',
  attestation: 'the result of a run was attested',
  exception: 'a task was stopped',
  exception_closed: 'a difference was closed',
  onboarding: 'an agent was registered',
}
