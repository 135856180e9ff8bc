import { Agent, request } from 'node:http'

/** One call, ready to be sent as it is; a POST unless it says otherwise. */
export type PreparedCall = {
  step: string
  method?: string
  url: string
  headers: Record<string, string>
  body: string
}
export type Answer = { status: number; body: string }

export function prepared(
  step: string,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): PreparedCall {
  const text = JSON.stringify(body)
  const length = String(Buffer.byteLength(text))
  return {
    step,
    url,
    body: text,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': length },
  }
}

/** Connections that are kept, one for each caller. `insist` repeats a call as an agent does while the service asks for it. */
export function openWire(callers: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const wire = { repeats: 0, send, insist, close: () => agent.destroy() }

  function send(call: PreparedCall): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        call.url,
        { method: call.method ?? 'POST', agent, headers: call.headers },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
          )
          response.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(call.body)
    })
  }

  async function insist(call: PreparedCall): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await send(call)
      if (answer.status < 300) return answer
      const problem = JSON.parse(answer.body) as {
        retryable?: boolean
        retry_after_ms?: number | null
      }
      if (problem.retryable !== true || attempt === 20)
        throw new Error(`${call.step}: ${answer.status} ${answer.body}`)
      wire.repeats += 1
      await new Promise((resolve) => setTimeout(resolve, problem.retry_after_ms ?? 100))
    }
  }
  return wire
}
