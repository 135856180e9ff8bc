import { createServer } from 'node:http'
import { afterAll, beforeAll, expect } from 'vitest'
import { loadKeyRings } from '../../../activities/keys/key-ring.ts'
import { createClient, ProblemError } from '../../../clients/typescript/src/index.ts'
import { findFree } from '../../../worker/stack/ports.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { rotateKeysFile } from '../../support/rotated-keys.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed()
})
afterAll(() => apis?.stop())

const base = () => apis.hosts[0]!.base
const operator = () => createClient({ baseUrl: base(), operator: apis.operator })
const act = (reason: string) => ({ reason, idempotency_key: crypto.randomUUID() })
const manifest = {
  name: 'Repeater',
  contact: { email: 'repeater@agent.example' },
  rails: ['packetops' as const],
  requested_scopes: ['runs:read' as const],
  public_key: {
    kty: 'OKP' as const,
    crv: 'Ed25519' as const,
    x: Buffer.alloc(32, 7).toString('base64url'),
  },
  sandbox: true,
}

/** A client that keeps what it sends. */
function watched(retryForMs: number, baseUrl = base()) {
  const sent: string[] = []
  const send = (url: string, init: RequestInit) => {
    sent.push(JSON.stringify([init.body, new Headers(init.headers).get('idempotency-key')]))
    return fetch(url, init)
  }
  return { sent, client: createClient({ baseUrl, fetch: send, retryForMs }) }
}

verifies(
  'client.repeats',
  'a retryable refusal is repeated unchanged within its time',
  async () => {
    const { kid } = loadKeyRings(apis.config.SIGNING_KEYS_FILE).receipt.active
    await operator().call('keys-revoke', { mode: 'revoke_key', kid, ...act('found in a log') })
    const register = (retryForMs: number) => {
      const { sent, client } = watched(retryForMs)
      const answer = client.call('agent-register', { ...manifest, idempotency_key: 'repeated-1' })
      return { sent, answer }
    }
    const once = register(0)
    await expect(once.answer).rejects.toMatchObject({
      code: 'unavailable',
      problem: { retryable: true },
    })
    expect(once.sent).toHaveLength(1)
    const short = register(600)
    await expect(short.answer).rejects.toBeInstanceOf(ProblemError)
    expect(short.sent.length).toBeLessThan(5)

    const patient = register(30_000)
    await expect.poll(() => patient.sent.length).toBeGreaterThan(1)
    rotateKeysFile(apis.config.SIGNING_KEYS_FILE)
    await operator().call('keys-publish', { mode: 'publish_keys', ...act('renewed') })
    expect((await patient.answer).status).toBe(201)
    expect(new Set(patient.sent).size).toBe(1)
  },
)

verifies('client.repeats', 'another refusal is thrown at once, with its problem', async () => {
  const { sent, client } = watched(30_000)
  const refused = client.call('agent-register', {
    ...manifest,
    name: '',
    idempotency_key: 'refused-1',
  })
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_request',
    problem: { retryable: false },
  })
  expect(sent).toHaveLength(1)
})

verifies('client.repeats', 'a call without an answer is repeated until it is aborted', async () => {
  const [port = 0] = await findFree(1)
  const { sent, client } = watched(30_000, `http://127.0.0.1:${port}`)
  const gate = createServer((request, response) => {
    void fetch(base() + request.url).then(async (answer) =>
      response.writeHead(answer.status).end(await answer.text()),
    )
  })
  try {
    const answer = client.call('jwks', {})
    await expect.poll(() => sent.length).toBe(2)
    gate.listen(port, '127.0.0.1')
    expect((await answer).body.keys.length).toBeGreaterThan(0)
  } finally {
    gate.closeAllConnections()
    gate.close()
  }
  const stop = new AbortController()
  const away = watched(30_000, `http://127.0.0.1:${port}`)
  const aborted = away.client.call('jwks', {}, { signal: stop.signal })
  await expect.poll(() => away.sent.length).toBe(1)
  stop.abort()
  await expect(aborted).rejects.toThrow()
  const asked = away.sent.length
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(away.sent).toHaveLength(asked)
})
