import type { SpanFacts } from '../../tracing/spans.ts'

/** Texts with lists of varying length are not kept beyond this. */
const KEPT_MAX = 500
const kept = new Map<string, SpanFacts>()

/** A statement by its verb and table, such as `update payouts`; neither its text nor its values leave the process. */
export function statementSpan(text: string): SpanFacts {
  const known = kept.get(text)
  if (known !== undefined) return known
  const facts = factsOf(text)
  if (kept.size < KEPT_MAX) kept.set(text, facts)
  return facts
}

function factsOf(text: string): SpanFacts {
  const [, verb = 'statement'] = /^\s*([a-z]+)/i.exec(text) ?? []
  const [, table] = /\b(?:from|into|update)\s+"?([a-z_]+)"?/i.exec(text) ?? []
  const summary = [verb.toLowerCase(), table].filter((word) => word !== undefined).join(' ')
  return {
    name: `sql ${summary}`,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': summary },
  }
}
