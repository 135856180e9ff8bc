import { rails } from '#domain/rails/index.ts'
import { isCurrent } from '#domain/rails/rail.ts'
import { type AnyOperation, waysOf } from '../../operation.ts'
import { families } from '../../operations/index.ts'
import type { PageFacts } from './landing.ts'
import { describeProblems } from './problems.ts'

const start = ['agent-quickstart-read', 'agents-start-here', 'agent-sandbox-read']
const documents = [
  'agent-tools',
  'openapi',
  'mcp-descriptor',
  'agent-card',
  'schema-index',
  'agent-pricing',
  'callback-examples',
  'trust-contract',
  'jwks',
]

/** `/llms.txt` (llmstxt.org): what this is, and where a language model reads on. */
export function llmsText(facts: PageFacts): string {
  const current = rails.filter(isCurrent)
  return [
    '# Agent Rails',
    '',
    '> Agents quote, pay for and run bounded work, and get a result with a receipt. A payout rail moves bounded amounts of a dollar stablecoin for them.',
    '',
    'Every call can be repeated with its idempotency key. A refusal is application/problem+json with a code, whether money moved, and the next action.',
    '',
    '## First result',
    ...start.map((id) => linkOf(facts, id)),
    '',
    '## Rails',
    ...current.map(
      ({ key, about }) =>
        `- [${key}](${facts.baseUrl}/rails/${key}): ${about.summary} Input: ${facts.baseUrl}/schemas/rail-input-${key}.v1.json`,
    ),
    '',
    '## Documents',
    ...documents.map((id) => linkOf(facts, id)),
    '',
    '## Limits',
    ...facts.rateLimits.map(
      ({ policy, calls, window_seconds, counts }) =>
        `- ${policy}: ${calls} in ${window_seconds} seconds. ${counts}`,
    ),
    'Answers name their limit in RateLimit-Policy and what is left of it in RateLimit; a refusal is 429 with Retry-After.',
    '',
    '## Optional',
    `- [llms-full.txt](${facts.baseUrl}/llms-full.txt): Every operation and every refusal in one text.`,
    '',
  ].join('\n')
}

/** `/llms-full.txt`: the same with every operation of both hosts, by family, and every refusal. */
export function llmsFullText(facts: PageFacts): string {
  const listed = Object.entries(families).flatMap(([family, members]) => {
    const ids = members.map(({ id }) => id as string)
    const operations = facts.registry.filter(({ id }) => ids.includes(id))
    return operations.length === 0
      ? []
      : ['', `### ${family}`, ...operations.map((one) => lineOf(facts, one))]
  })
  const problems = describeProblems(facts).map(
    ({ code, status, meaning, action }) => `- ${status} ${code}: ${meaning} ${action}`,
  )
  return [llmsText(facts), '## Operations', ...listed, '', '## Refusals', ...problems, ''].join(
    '\n',
  )
}

const urlOf = ({ baseUrl, osUrl }: PageFacts, { http }: AnyOperation): string =>
  `${http.host === 'os' ? osUrl : baseUrl}${http.path}`

function linkOf(facts: PageFacts, id: string): string {
  const operation = facts.registry.find((one) => one.id === id)
  if (operation === undefined) throw new Error(`there is no operation ${id}`)
  return `- [${id}](${urlOf(facts, operation)}): ${operation.summary}`
}

function lineOf(facts: PageFacts, operation: AnyOperation): string {
  const { id, http, mode, price, summary } = operation
  const named = mode === undefined ? '' : ` mode=${mode}`
  const access = waysOf(operation).join(' or ')
  const cost = price === null ? 'free' : `${price} atomic units of the asset`
  const call = `${http.method} ${urlOf(facts, operation)}${named}`
  return `- ${call} (${id}; ${access}; ${cost}): ${summary}`
}
