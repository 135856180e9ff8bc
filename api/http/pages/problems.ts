import { type ErrorCode, errorCodes } from '#domain/core/error-codes.ts'
import { errorHelp } from '#domain/core/error-help.ts'
import { isLater, isRetryable } from '#domain/core/errors.ts'
import { type Html, html } from '#domain/core/html.ts'
import { commonErrors } from '../../calls/problem.ts'
import type { AnyOperation } from '../../operation.ts'
import type { PageFacts } from './landing.ts'
import { pageOf } from './layout.ts'

/** What one code means, as its page prints it and as JSON says it. `operations` are the ids that may answer it. */
export type ProblemDescription = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly meaning: string
  readonly action: string
  readonly operations: readonly string[]
}

/** The description of a code; undefined where there is no such code. */
export function describeProblem(
  code: string,
  { baseUrl, registry }: PageFacts,
): ProblemDescription | undefined {
  if (!isCode(code)) return undefined
  const type = `${baseUrl}/problems/${code}`
  const operations = registry
    .filter((operation) => codesOf(operation).includes(code))
    .map(({ id }) => id)
  return {
    type,
    ...errorCodes[code],
    code,
    retryable: isRetryable(code),
    ...errorHelp[code],
    operations,
  }
}

/** Every code's description, in the order of their statuses. */
export function describeProblems(facts: PageFacts): ProblemDescription[] {
  return Object.keys(errorCodes).flatMap((code) => describeProblem(code, facts) ?? [])
}

const isCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code)
const codesOf = (operation: AnyOperation): readonly ErrorCode[] => [
  ...operation.errors,
  ...commonErrors(operation),
]

/** The page of one code. */
export function problemPage({
  title,
  status,
  code,
  retryable,
  meaning,
  action,
  operations,
}: ProblemDescription): string {
  const repeat = retryable
    ? 'Yes: the same call again, after Retry-After, with the same idempotency key.'
    : unrepeated(code)
  const body = html`<h1>${title}</h1>
<p class="lead">${meaning}</p>
<dl class="facts">
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>Status</dt><dd>${status}</dd>
<dt>What to do</dt><dd>${action}</dd>
<dt>Worth repeating</dt><dd>${repeat}</dd>
<dt>Given by</dt><dd>${operationList(operations)}</dd>
</dl>
<p>A refusal’s own <code>detail</code> and <code>next_action</code> say what it was in your call, and <code>money_moved</code> is
true to the facts: no, yes, or unknown. Quote its <code>request_id</code> to the operator.</p>
<p><a href="/problems">All problems</a></p>`
  return pageOf({ title: `${title} · agent-rails`, path: `/problems/${code}`, body })
}

const unrepeated = (code: ErrorCode): string =>
  isLater(code)
    ? 'Later: the same call again once the time in Retry-After has passed. Before that it is refused again.'
    : 'No: the same call would be refused again. Change what the problem names first.'

function operationList(operations: readonly string[]): Html {
  if (operations.length === 0) return html`no operation of this version`
  return html`${operations.map((id, index) => html`${index === 0 ? '' : ', '}<a href="/docs/${id}"><code>${id}</code></a>`)}`
}

/** The list of all codes. */
export function problemsPage(problems: readonly ProblemDescription[]): string {
  const rows = problems.map(
    ({ status, code, title, retryable }) =>
      html`<tr><td>${status}</td><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${title}</td><td>${retryable ? 'yes' : 'no'}</td></tr>
`,
  )
  const body = html`<h1>Problems</h1>
<p class="lead">Every refusal is <code>application/problem+json</code> (RFC 9457) with one of these codes, the same over HTTP, in
the workflows and on the command line. Their order is that of the HTTP status.</p>
<div class="scroll"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th><th scope="col">Worth repeating</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`
  return pageOf({ title: 'Problems · agent-rails', path: '/problems', body })
}
