import { createHmac, randomBytes } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { ToolCall } from '../../../../api/mcp/toolbox.ts'

/** A request for input of the person at the client. */
export const elicit = (message: string, properties: object = { name: { type: 'string' } }) => ({
  method: 'elicitation/create' as const,
  params: {
    mode: 'form' as const,
    message,
    requestedSchema: { type: 'object' as const, properties, required: Object.keys(properties) },
  },
})
const sample = (text: string) => ({
  method: 'sampling/createMessage' as const,
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 },
})
const roots = { method: 'roots/list' as const, params: {} }

/** The name in the answer to `elicit`. */
export const nameOf = (responses: Record<string, unknown> = {}): string | undefined =>
  (responses['user_name'] as { content?: { name?: string } } | undefined)?.content?.name

type Requests = Record<string, ReturnType<typeof elicit> | ReturnType<typeof sample> | typeof roots>

const user_name = elicit('What is your name?')
/** What each tool asks for, round by round. */
const rounds: Record<string, readonly Requests[]> = {
  elicitation: [{ user_name }],
  sampling: [{ capital_question: sample('What is the capital of France?') }],
  list_roots: [{ client_roots: roots }],
  request_state: [{ confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) }],
  multiple_inputs: [{ user_name, greeting: sample('Generate a greeting'), client_roots: roots }],
  multi_round: [
    { step1: elicit('Step 1: What is your name?') },
    { step2: elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
  ],
  tampered_state: [{ confirm: elicit('Please confirm', { ok: { type: 'boolean' } }) }],
  capabilities: [{ user_name, greeting: sample('Generate a greeting') }],
}

const key = randomBytes(32)
const stateOf = (round: number) =>
  `${round}.${createHmac('sha256', key).update(String(round)).digest('hex')}`

/** The round of a state; throws for one that is not of this server. */
function roundOf(state: string | undefined): number {
  if (state === undefined) return 0
  const round = Number.parseInt(state, 10)
  if (state === stateOf(round)) return round
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the state is not of this server')
}

/** Only what the client says that it can answer. */
function answerable(requests: Requests, { envelope }: ToolCall['request']): Requests {
  const able = Object(Object(envelope)[CLIENT_CAPABILITIES_META_KEY])
  return Object.fromEntries(
    Object.entries(requests).filter(([, { method }]) => String(method.split('/')[0]) in able),
  )
}

const inputTool =
  (asked: readonly Requests[]) =>
  ({ request }: ToolCall) => {
    const responses = request.inputResponses ?? {}
    const round = roundOf(request.requestState<string>())
    const isAnswered = Object.keys(asked[round] ?? {}).every((name) => name in responses)
    const requests = asked[isAnswered ? round + 1 : round]
    if (requests === undefined)
      return { content: [{ type: 'text', text: `state-ok ${JSON.stringify(responses)}` }] }
    return {
      resultType: 'input_required',
      inputRequests: answerable(requests, request),
      requestState: stateOf(isAnswered ? round + 1 : round),
    }
  }

/** Tools that the suite's `input-required-*` scenarios call. */
export const inputTools = Object.fromEntries(
  Object.entries(rounds).map(([name, asked]) => [
    `test_input_required_result_${name}`,
    inputTool(asked),
  ]),
)
