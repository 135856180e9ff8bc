import { jsonText, printable } from '#domain/core/plain-text.ts'
import type { Verdict } from '#domain/verification/verdict.ts'

const result = (): HTMLElement => document.getElementById('result') as HTMLElement

const marks = { valid: '✓ Valid', invalid: '✗ Not valid', indeterminate: '? Cannot be decided' }
const colors = { valid: 'ok', invalid: 'bad', indeterminate: '' }

/** Puts a verdict on the page; all of it as text, since the file comes from anywhere. */
export function showVerdict({ kind, verdict, reasons, checks, key, claims }: Verdict): void {
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
