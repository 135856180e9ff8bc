import type { AskedCompletion, Behavior } from '../../support/model-server.ts'

type Call = { name: string; input: object }

/**
 * Answers as a model would that buys a run: it asks for a quote, starts the run, and follows it. What it passes on is in the results
 * of its tools, as the framework hands them over.
 */
export const buysRun: Behavior = ({ messages }, response) => {
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify(completionOf(answerTo(messages))))
}

const input = {
  title: 'Evidence for the audit',
  profile: 'soc2_evidence_packet',
  items: [{ name: 'system.md', section: 'system_description', content: 'A hosted ledger.' }],
}

function answerTo(messages: AskedCompletion['messages']): string | Call {
  const results = messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => textOf(content))
  const [quoted, started] = results
  const last = results.at(-1) ?? ''
  if (quoted === undefined)
    return { name: 'quote_run', input: { rail: 'packetops', tier: 'entry' } }
  const quote_id = /qt_\w+/.exec(quoted)?.[0]
  if (quote_id === undefined) return `no quote: ${quoted}`
  if (started === undefined)
    return {
      name: 'start_rail_run',
      input: {
        rail: 'packetops',
        tier: 'entry',
        usage: 'synthetic',
        quote_id,
        input,
        on_gaps: 'report',
        accept_terms: true,
        idempotency_key: quote_id,
      },
    }
  const run_id = /run_[0-9a-f]{64}/.exec(started)?.[0]
  if (run_id === undefined) return `no run: ${started}`
  const state = /"state":"(closed|exception_open)"/.exec(last)?.[1]
  return state === undefined && results.length < 10
    ? { name: 'get_run_status', input: { run_id, wait_ms: 20_000 } }
    : `${state ?? `unfinished: ${last}`} ${run_id}`
}

/** The text of a result, whose JSON some frameworks put into further JSON. */
const textOf = (content: unknown) =>
  JSON.stringify(content).replaceAll('\\', '').replaceAll('": ', '":')

function completionOf(answer: string | Call) {
  const message =
    typeof answer === 'string'
      ? { role: 'assistant', content: answer }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: `call_${Math.random().toString(36).slice(2)}`,
              type: 'function',
              function: { name: answer.name, arguments: JSON.stringify(answer.input) },
            },
          ],
        }
  const finish_reason = typeof answer === 'string' ? 'stop' : 'tool_calls'
  return {
    id: 'c',
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, message, finish_reason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
}
