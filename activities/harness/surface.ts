import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { digestOf } from '#domain/core/canonical-json.ts'
import { type Exchange, keptBody, redacted } from '#domain/harness/transcript.ts'

/** Where the running service is reached, from configuration alone. */
export type Origins = { readonly base: string; readonly os: string }
type Asked = {
  readonly method: 'GET' | 'POST'
  readonly host?: keyof Origins
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}
/** The last answer to a request; `status` is null where none came. */
export type Answer = { readonly status: number | null; readonly body: unknown }
/** The service as anyone reaches it over HTTP. Every request and its last answer become part of the transcript. */
export type Surface = {
  send(asked: Asked): Promise<Answer>
  /** One message of MCP without a session. */
  message(method: string, params: object, headers?: Asked['headers']): Promise<Answer>
  readonly exchanges: readonly Exchange[]
}

const TRIES = 3
const ANSWER_MS_MAX = 30_000
const ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** A limit of calls is full for a minute. */
const WAIT_MS_MAX = 65_000
const passing: ReadonlySet<number | null> = new Set([429, 503, null])
export const MCP_VERSION = '2025-06-18'

/** Opens the service at its configured origins; no redirect is followed, and requests end with the signal. */
export function openSurface(origins: Origins, signal: AbortSignal): Surface {
  const exchanges: Exchange[] = []
  const attempt = ({ method, host = 'base', path, headers = {}, body }: Asked) =>
    once(`${origins[host]}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const send = async (asked: Asked): Promise<Answer> => {
    const answer = await untilAnswered(() => attempt(asked), signal)
    const { host = 'base', method, path, headers = {}, body = null } = asked
    const request = { host, method, path: redacted(path), headers: redacted(headers) }
    const sent = { ...request, body: keptBody(body) }
    // Of a question that is asked until the answer changes, the last answer is kept.
    if (digestOf(exchanges.at(-1)?.request ?? null) === digestOf(sent)) exchanges.pop()
    exchanges.push({
      request: sent,
      response: { status: answer.status, body: keptBody(answer.body) },
    })
    return answer
  }
  return {
    exchanges,
    send,
    message: (method, params, headers = {}) =>
      send({
        method: 'POST',
        path: '/api/mcp',
        headers: {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': MCP_VERSION,
          ...headers,
        },
        body: { jsonrpc: '2.0', id: 1, method, params },
      }),
  }
}

type Tried = Answer & { retryAfterMs: number; mayPass: boolean }

/** Repeats what a limit or an outage refused; every write has an idempotency key, so that a repeat is the same call. */
async function untilAnswered(attempt: () => Promise<Tried>, signal: AbortSignal): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const { retryAfterMs, mayPass, ...answer } = await attempt()
    signal.throwIfAborted()
    if (!mayPass || tries === TRIES) return answer
    await sleep(Math.min(retryAfterMs, WAIT_MS_MAX), undefined, { signal })
  }
}

async function once(url: string, init: RequestInit): Promise<Tried> {
  try {
    const response = await fetch(url, init)
    const { status } = response
    const body = bodyOf(await textOf(response))
    const refused = toolRefusal(body)
    const seconds = Number(response.headers.get('retry-after') ?? 1)
    const afterMs = refused.retry_after_ms ?? seconds * 1000
    return {
      status,
      body,
      retryAfterMs: Number.isFinite(afterMs) ? afterMs : 1_000,
      mayPass: passing.has(status) || passing.has(refused.status ?? status),
    }
  } catch {
    return { status: null, body: null, retryAfterMs: 1_000, mayPass: true }
  }
}

const ToolResult = z.looseObject({
  result: z.looseObject({
    isError: z.literal(true),
    structuredContent: z.looseObject({
      status: z.int().optional(),
      retry_after_ms: z.int().min(0).nullish(),
    }),
  }),
})

/** The refusal that a tool answered with; over MCP its status is not that of HTTP. */
function toolRefusal(body: unknown): {
  status?: number | undefined
  retry_after_ms?: number | null | undefined
} {
  const parsed = ToolResult.safeParse(body)
  return parsed.success ? parsed.data.result.structuredContent : {}
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > ANSWER_BYTES_MAX) throw new RangeError(`over ${ANSWER_BYTES_MAX} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** The JSON of an answer, also of one that comes as an event; other text as it is. */
function bodyOf(text: string): unknown {
  const lines = text.split('\n').filter((line) => line.startsWith('data:'))
  const json = lines.length === 0 ? text : lines.map((line) => line.slice(5).trim()).join('\n')
  try {
    return JSON.parse(json)
  } catch {
    return text
  }
}
