import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutgoing } from '../../activities/http/outgoing.ts'
import type { ModelEndpoint } from '../../activities/model/call-model.ts'

/** A request for a completion as it came. */
export type AskedCompletion = {
  authorization: string | undefined
  messages: { role: string; content: string }[]
  body: Record<string, unknown>
}
/** How a test answers a request for a completion. */
export type Behavior = (asked: AskedCompletion, response: ServerResponse) => void | Promise<void>

/** A completion with this text, and what it says that it used. */
export const completes =
  (text: string | ((asked: AskedCompletion) => string), tokens: number | null = 100): Behavior =>
  (asked, response) => {
    const content = typeof text === 'string' ? text : text(asked)
    const usage = tokens === null ? {} : { usage: { total_tokens: tokens } }
    response.end(
      JSON.stringify({ choices: [{ message: { role: 'assistant', content } }], ...usage }),
    )
  }

/** Quotes the first passage that it is offered, word by word. */
export const quotesFirst = completes(({ messages }) => {
  const [{ passage, text }] = JSON.parse(messages[1]?.content ?? '').passages
  return JSON.stringify({ sentences: [{ text, citations: [{ passage, quote: text }] }] })
})

/**
 * A server of the OpenAI protocol whose answers a test chooses. No real endpoint can be made to fail, to stop or to obey a
 * document at a chosen moment.
 */
export async function startModelServer() {
  const asked: AskedCompletion[] = []
  const behavior: { now: Behavior } = { now: completes('{"sentences":[]}') }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const body = JSON.parse(text) as Record<string, unknown>
    const { authorization } = request.headers
    const one = { authorization, body, messages: body['messages'] as AskedCompletion['messages'] }
    asked.push(one)
    await behavior.now(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v1`
  const endpoint = (changes: Partial<ModelEndpoint> = {}, timeoutMs = 5_000): ModelEndpoint => ({
    url,
    name: 'test-model',
    key: undefined,
    send: createOutgoing({ ownHosts: [], exempt: [new URL(url).origin], timeoutMs }),
    ...changes,
  })
  return {
    url,
    asked,
    behavior,
    endpoint,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
