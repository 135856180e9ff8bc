import { afterAll, beforeAll, expect } from 'vitest'
import { type ComposedApis, startComposed } from '../support/composed-api.ts'
import { verifies } from '../verifies.ts'

let apis: ComposedApis

beforeAll(async () => {
  const env = {
    TRUST_PROXY: '1',
    LIMIT_PUBLIC_READS_PER_MINUTE: '6',
    LIMIT_PUBLIC_WRITES_PER_MINUTE: '3',
  }
  apis = await startComposed({ apis: 2, env })
})
afterAll(() => apis?.stop())

/** Sent to both processes in turn, from one client address. */
async function statuses(
  count: number,
  from: string,
  call: (index: number) => [path: string, body?: object],
  more: Record<string, string> = {},
) {
  const answers: number[] = []
  for (let index = 0; index < count; index++) {
    const [path, body] = call(index)
    const headers = { 'x-forwarded-for': from, 'content-type': 'application/json', ...more }
    const init =
      body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${apis.hosts[index % 2]!.base}${path}`, init)
    answers.push(answer.status)
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  return answers
}

const quote = (key: string) => ({ rail: 'tokenops', tier: 'entry', idempotency_key: key })

verifies(
  'pipeline.public-limit',
  'each unknown address has six reads and three other calls a minute',
  async () => {
    const reads = await statuses(8, '192.0.2.1', () => ['/api/agent-pricing'])
    expect(reads).toEqual([...Array.from({ length: 6 }, () => 200), 429, 429])
    const writes = await statuses(5, '192.0.2.1', (index) => [
      '/api/agents/quote',
      quote(`q-${index}`),
    ])
    expect(writes).toEqual([200, 200, 200, 429, 429])
    expect(await statuses(1, '192.0.2.2', () => ['/api/agents/quote', quote('q-0')])).toEqual([200])
  },
)

verifies(
  'pipeline.public-limit',
  'a repeat is answered again and takes nothing; probes are never refused',
  async () => {
    const secret = { 'idempotency-secret': 'a'.repeat(22) }
    const repeats = await statuses(
      9,
      '192.0.2.3',
      () => ['/api/agents/quote', quote('again')],
      secret,
    )
    expect(repeats).toEqual(Array.from({ length: 9 }, () => 200))
    expect(await statuses(9, '192.0.2.3', () => ['/healthz'])).toEqual(
      Array.from({ length: 9 }, () => 200),
    )
  },
)
