import { jsonText, printable } from '#domain/core/plain-text.ts'
import type { LogState } from '#domain/receipts/receipt.ts'
import type { LoggedVerdict } from '#domain/verification/log-state.ts'

const result = (): HTMLElement => document.getElementById('result') as HTMLElement

const marks = { valid: '✓ Valid', invalid: '✗ Not valid', indeterminate: '? Cannot be decided' }
const colors = { valid: 'ok', invalid: 'bad', indeterminate: '' }

const logTexts: Record<LogState, string> = {
  included: 'It is in the log of the service.',
  pending: 'It waits for its place in the log.',
  absent: 'It is not in the log of the service.',
  exempt: 'It is a sample, which is not in the log.',
  not_checked:
    'Its place in the log was not looked up: verify its bundle, /api/receipts/ID/bundle.',
}

/** Puts a verdict on the page; all of it as text, since the file comes from anywhere. */
export function showVerdict(shown: LoggedVerdict): void {
  const { kind, verdict, reasons, checks, key, claims, log_state } = shown
  const what = kind?.replaceAll('_', ' ') ?? 'nothing that is known here'
  const heading = made('h2', `${marks[verdict]}: ${what}`)
  heading.className = colors[verdict]
  const list = made('dl')
  list.className = 'facts checks'
  for (const { check, ok, detail } of checks) {
    const term = made('dt', `${ok ? '✓' : '✗'} ${check.replaceAll('_', ' ')}`)
    term.className = ok ? 'ok' : 'bad'
    list.append(term, made('dd', detail))
  }
  const parts: Node[] = [heading]
  if (reasons.length > 0) parts.push(made('p', `Reason: ${reasons.join(', ')}`))
  parts.push(list)
  if (log_state !== null) parts.push(made('p', logTexts[log_state]))
  if (key !== null) parts.push(made('p', `Signed by ${key.kid}, which is ${key.standing} today.`))
  if (claims !== null) parts.push(made('h3', 'What was signed'), block(jsonText(claims)))
  result().replaceChildren(...parts)
  heading.scrollIntoView({ block: 'start' })
}

export const showProblem = (error: unknown): void =>
  result().replaceChildren(made('p', error instanceof Error ? error.message : String(error)))

/** Text that scrolls, also by the keyboard. */
function block(text: string): HTMLElement {
  const pre = made('pre', text)
  pre.tabIndex = 0
  pre.setAttribute('role', 'region')
  pre.setAttribute('aria-label', 'What was signed')
  return pre
}

function made<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  element.textContent = printable(text)
  return element
}
