import { z } from 'zod'
import { jsonOf, textOf } from '#domain/core/strict-json.ts'
import type { Prompt } from '#domain/drafts/prompt.ts'
import type { ModelOutput } from '#domain/rails/drafts/draft.ts'
import type { Outgoing, SendOutgoing } from '../http/outgoing.ts'

/** An endpoint that speaks the OpenAI protocol for chat completions. */
export type ModelEndpoint = {
  readonly url: string
  readonly name: string
  readonly key: string | undefined
  readonly send: SendOutgoing
}

/** How a call ended. `used` is what it cost in tokens; null where that is not known. */
export type Asked = Pick<ModelOutput, 'outcome' | 'text' | 'tokens'> & { used: number | null }

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
export async function askModel(endpoint: ModelEndpoint, prompt: Prompt): Promise<Asked> {
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
