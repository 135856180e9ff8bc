import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect } from 'vitest'
import { webhookPublicKey } from '../../../activities/keys/webhook.ts'
import { createDatabase, type OpenDatabase } from '../../../activities/store/postgres/db.ts'
import { createClient } from '../../../api/http/client.ts'
import { isFromService } from '../../../docs/callback-receivers/receiver.ts'
import { listAttempts } from '../../support/attempts.ts'
import { trustedAgent } from '../../support/registering-agent.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { startTlsServer } from '../../support/tls-server.ts'
import { verifies } from '../../verifies.ts'

type Notice = { headers: Record<string, string>; body: Buffer; event: Record<string, unknown> }
const notified: Notice[] = []
/** The first callback is taken and never answered. */
let holding = true
let receiver: Awaited<ReturnType<typeof startTlsServer>>
let stack: TestStack
let open: OpenDatabase

beforeAll(async () => {
  receiver = await startTlsServer(async (request, response) => {
    const body = await buffer(request)
    const event = JSON.parse(body.toString()) as Record<string, unknown>
    notified.push({ headers: request.headers as Record<string, string>, body, event })
    if (event['event'] === 'host_proof') response.end(JSON.stringify({ nonce: event['nonce'] }))
    else if (!holding) response.writeHead(204).end()
  })
  stack = await startStack({
    env: {
      CALLBACK_ALLOW_HOSTS: `https://localhost:${receiver.port}`,
      NODE_EXTRA_CA_CERTS: join(import.meta.dirname, '..', '..', 'support', 'tls', 'authority.pem'),
      SWEEP_GRACE_MS: '200',
    },
  })
  open = createDatabase({ url: stack.databaseUrl, applicationName: 'test' })
})
afterAll(async () => {
  await open?.close()
  await stack?.stop()
  await receiver?.stop()
})

verifies(
  ['callback.running', 'callback.at-least-once', 'callback.host-proof'],
  'a worker killed after sending a callback sends the same id again',
  async () => {
    const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
    const contact = { callback_url: `https://localhost:${receiver.port}/hook` }
    const { registered } = await trustedAgent(hosts, stack.accounts.operator.credential, {
      contact,
    })
    const callbacks = () => notified.filter(({ event }) => event['event'] !== 'host_proof')
    await expect.poll(() => callbacks().length).toBe(1)
    await stack.worker().kill('SIGKILL')
    holding = false
    await stack.worker().start()
    await expect.poll(() => callbacks().length).toBe(2)
    const [first, second] = callbacks()
    const id = String(first?.headers['webhook-id'])
    expect(second?.headers['webhook-id']).toBe(id)
    expect(second?.event).toMatchObject({
      event: 'credential_ready',
      delivery_id: id,
      agent_id: registered.agent.agent_id,
    })
    const { keys } = (await createClient({ baseUrl: hosts.base }).call('jwks', {})).body
    const key = webhookPublicKey(keys.find((jwk) => jwk['use_for'] === 'callback') ?? {})
    for (const { headers, body } of notified)
      expect(isFromService(headers, body, key, Number(headers['webhook-timestamp']))).toBe(true)
    const outcomes = async () =>
      (await listAttempts(open.db, id)).map(({ kind, outcome }) => `${kind} ${outcome}`)
    await expect.poll(outcomes).toEqual(['proof taken', 'delivery null', 'delivery taken'])
  },
)
