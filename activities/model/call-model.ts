import type { Logger } from 'pino'
import { z } from 'zod'
import { jsonOf, textOf } from '#domain/core/strict-json.ts'
import type { Prompt } from '#domain/drafts/prompt.ts'
import type { ModelOutcome, ModelOutput } from '#domain/rails/drafts/draft.ts'
import type { Outgoing, SendOutgoing } from '../http/outgoing.ts'
import {
  type ModelBudget,
  type Reservation,
  reserveTokens,
  settleTokens,
} from '../store/model/budget.ts'
import { beginModelCall, endModelCall } from '../store/model/model-calls.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'

export type ModelDeps = {
  readonly db: Tx
  readonly log: Logger
  /** Undefined: no model is configured. */
  readonly endpoint: ModelEndpoint | undefined
  readonly budget: ModelBudget
}

/**
 * Asks the model what a subject stored, once: the tokens are reserved before the call, and its end is stored before it is used.
 * A stored end is returned without a call. A process that dies in between leaves its reservation counted, and one more attempt.
 */
export async function callModel(
  deps: ModelDeps,
  subject: string,
  promptSha256: string,
): Promise<ModelOutput> {
  const { db, endpoint } = deps
  const named = { prompt_sha256: promptSha256, model: endpoint?.name ?? '' }
  const without = (outcome: ModelOutcome) =>
    transaction(db, (tx) => endModelCall(tx, subject, outputOf(named, none(outcome))))
  const begun = await begin(deps, subject, promptSha256)
  if ('output' in begun) return begun.output
  if ('refused' in begun) return without(begun.refused)
  const { prompt, reserved } = begun
  if (endpoint === undefined) return without('not_configured')
  const asked = await askModel(endpoint, prompt)
  deps.log.info(
    { subject, promptSha256, outcome: asked.outcome, tokens: asked.tokens },
    'a model was called',
  )
  return transaction(db, async (tx) => {
    if (asked.used !== null) await settleTokens(tx, reserved, asked.used)
    return endModelCall(tx, subject, outputOf(named, asked))
  })
}

type Begun =
  | { output: ModelOutput }
  | { refused: ModelOutcome }
  | { prompt: Prompt; reserved: Reservation }

/** Counts an attempt and reserves its tokens in one transaction, so that a refusal counts nothing. */
async function begin(
  { db, endpoint, budget }: ModelDeps,
  subject: string,
  promptSha256: string,
): Promise<Begun> {
  try {
    return await transaction(db, async (tx) => {
      const call = await beginModelCall(tx, subject, promptSha256)
      if (call === 'no_attempt_left') return { refused: 'interrupted' }
      if ('output' in call) return call
      if (endpoint === undefined) return { refused: 'not_configured' }
      const tokens = tokensAtMost(call.prompt)
      const reserved = await reserveTokens(tx, { subject, tokens }, budget)
      if (reserved === null) throw new OverBudget()
      return { prompt: call.prompt, reserved }
    })
  } catch (error) {
    if (error instanceof OverBudget) return { refused: 'budget_exhausted' }
    throw error
  }
}

class OverBudget extends Error {
  override readonly name = 'OverBudget'
}

/** A token is at least one byte of text; each message has a few tokens of its own. */
const MESSAGE_TOKENS = 16

/** The most tokens that a call may use. */
export function tokensAtMost({ messages, answerTokensMax }: Prompt): number {
  const bytes = messages.map(({ content }) => Buffer.byteLength(content) + MESSAGE_TOKENS)
  return bytes.reduce((sum, one) => sum + one, answerTokensMax)
}

const none = (outcome: ModelOutcome): Omit<Asked, 'used'> => ({ outcome, text: null, tokens: null })

const outputOf = (
  named: Pick<ModelOutput, 'prompt_sha256' | 'model'>,
  { outcome, text, tokens }: Omit<Asked, 'used'>,
): ModelOutput => ({ type: 'service.model-output.v1', ...named, outcome, text, tokens })

/** An endpoint that speaks the OpenAI protocol for chat completions. */
export type ModelEndpoint = {
  readonly url: string
  readonly name: string
  readonly key: string | undefined
  readonly send: SendOutgoing
}

/** How a call ended. `used` is what it cost in tokens; null where that is not known. */
type Asked = Pick<ModelOutput, 'outcome' | 'text' | 'tokens'> & { used: number | null }

/** A larger count is no count of one call. */
const TOKENS_MAX = 10_000_000
const TEXT_CHARS_MAX = 32_768

const Completion = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().max(TEXT_CHARS_MAX) }) }))
    .min(1),
})
const Usage = z.object({ usage: z.object({ total_tokens: z.int().min(0).max(TOKENS_MAX) }) })

/** Sends one prompt; never rejects. Nothing of an answer but its text and usage is kept, and no text that holds the key. */
async function askModel(endpoint: ModelEndpoint, prompt: Prompt): Promise<Asked> {
  const { url, name, key, send } = endpoint
  const answer = await send({
    url: `${url}/chat/completions`,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      model: name,
      messages: prompt.messages,
      max_tokens: prompt.answerTokensMax,
      temperature: 0,
      stream: false,
      response_format: { type: 'json_object' },
    }),
  })
  const read = readAnswer(answer)
  const isLeak = key !== undefined && read.text?.includes(key) === true
  return isLeak ? { ...read, outcome: 'unreadable', text: null } : read
}

/** Whether the reason says that nothing reached the endpoint. */
const nothingSent: ReadonlySet<string> = new Set([
  'url_refused',
  'address_refused',
  'name_unresolved',
  'tls_failed',
])

function readAnswer(answer: Outgoing): Asked {
  if (!answer.ok) {
    const used = nothingSent.has(answer.reason) ? 0 : null
    if (answer.reason === 'timeout') return ended('timeout', used)
    return ended(answer.reason === 'answer_too_large' ? 'unreadable' : 'unreachable', used)
  }
  if (answer.status === 429) return ended('rate_limited', 0)
  if (answer.status >= 500) return ended('unreachable', null)
  if (answer.status !== 200) return ended('refused', 0)
  const value = jsonOf(textOf(answer.body))
  const tokens = Usage.safeParse(value).data?.usage.total_tokens ?? null
  const text = Completion.safeParse(value).data?.choices[0]?.message.content
  if (text === undefined || /\p{Cs}|\0/u.test(text))
    return { outcome: 'unreadable', text: null, tokens, used: tokens }
  return { outcome: 'answered', text, tokens, used: tokens }
}

const ended = (outcome: Asked['outcome'], used: number | null): Asked => ({
  outcome,
  text: null,
  tokens: null,
  used,
})
