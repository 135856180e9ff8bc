import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { errorText } from './error-text.ts'
import { loadSettings } from './settings.ts'

const Problem = z.object({ code: z.string(), detail: z.string(), next_action: z.string() })

/** Calls an operation as an operator over HTTP; throws what the service refuses, with what to do next. */
export const callAsOperator = (
  credential: string,
  method: 'GET' | 'POST',
  path: string,
  body?: Record<string, unknown>,
): Promise<Record<string, unknown>> =>
  send(credential, method, path, body && { ...body, idempotency_key: randomUUID() })

/** Calls an operation that takes no idempotency key; throws as `callAsOperator`. */
export const askAsOperator = (
  credential: string,
  path: string,
  body: Record<string, unknown>,
): Promise<Record<string, unknown>> => send(credential, 'POST', path, body)

async function send(
  credential: string,
  method: 'GET' | 'POST',
  path: string,
  body: Record<string, unknown> | undefined,
): Promise<Record<string, unknown>> {
  const { BASE_URL } = loadSettings()
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' }
  const answer = await fetch(BASE_URL + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  }).catch((error: unknown) => {
    throw new Error(`${BASE_URL} does not answer: ${errorText(error)}`)
  })
  const content: unknown = await answer.json()
  if (answer.ok) return z.record(z.string(), z.unknown()).parse(content)
  const { code, detail, next_action } = Problem.parse(content)
  throw new Error(`${code}: ${detail}. ${next_action}`)
}
