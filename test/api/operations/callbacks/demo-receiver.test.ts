import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { generateSigningKeys } from '../../../../activities/keys/generate.ts'
import { keyRings, loadKeyRings, type SigningKey } from '../../../../activities/keys/key-ring.ts'
import { signWebhook } from '../../../../activities/keys/webhook.ts'
import { createClient } from '../../../../api/http/client.ts'
import { isFromService } from '../../../../docs/callback-receivers/receiver.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
let key: SigningKey
beforeAll(async () => {
  apis = await startComposed({ apis: 2 })
  key = loadKeyRings(apis.config.SIGNING_KEYS_FILE).callback.active
})
afterAll(async () => {
  await apis?.stop()
})

const now = () => Math.floor(Date.now() / 1000)
const newId = () => `cb_${createHash('sha256').update(randomBytes(8)).digest('hex')}`
const newReceiver = () => `r-${randomBytes(8).toString('hex')}`
const bodyOf = (delivery_id: string, more: object = {}) =>
  canonicalJson({
    event: 'credential_ready',
    delivery_id,
    at: new Date().toISOString(),
    agent_id: 'agt_1',
    credential_id: 'c_1',
    state: 'pending',
    sequence: 6,
    ...more,
  })
const sign = async (id: string, body: string, signer = key, timestamp = now()) => ({
  ...(await signWebhook(signer, { id, timestamp, body })),
  'content-type': 'application/json',
})
let turns = 0
async function send(receiver: string, body: string, headers: Record<string, string>, fail = 0) {
  const { base } = apis.hosts[turns++ % 2]!
  const response = await fetch(
    `${base}/api/provider-callback-receiver-demo?receiver=${receiver}&fail=${fail}`,
    {
      method: 'POST',
      headers,
      body,
    },
  )
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const inboxOf = async (receiver: string) =>
  (await createClient({ baseUrl: apis.hosts[0]!.base }).call('callback-demo-read', { receiver }))
    .body.items

verifies(
  'callback.demo-receiver',
  'a callback of ours is taken, and its repeat known over both processes',
  async () => {
    const [receiver, id] = [newReceiver(), newId()]
    const body = bodyOf(id)
    const first = await send(receiver, body, await sign(id, body))
    expect(first).toEqual({
      status: 200,
      body: {
        verified: true,
        delivery_id: id,
        duplicate: false,
        checks: ['headers', 'time', 'signature'].map((check) => ({ check, ok: true })),
      },
    })
    expect((await send(receiver, body, await sign(id, body))).body).toMatchObject({
      duplicate: true,
    })
    const items = await inboxOf(receiver)
    expect(items).toMatchObject([
      { delivery_id: id, event: 'credential_ready', verified: true, attempts: 2 },
    ])
    expect(await inboxOf(newReceiver())).toEqual([])
  },
)

verifies(
  'callback.demo-receiver',
  'what we did not sign as it is and now is 401, and is not kept',
  async () => {
    const [receiver, id] = [newReceiver(), newId()]
    const body = bodyOf(id)
    const stranger = keyRings(generateSigningKeys(new Date())).callback.active
    const receipts = loadKeyRings(apis.config.SIGNING_KEYS_FILE).receipt.active
    const forged: [string, Record<string, string>][] = [
      [body, await sign(id, body, stranger)],
      [body, await sign(id, body, receipts)],
      [body.replace('c_1', 'c_2'), await sign(id, body)],
      [`${body} `, await sign(id, body)],
      [body, await sign(id, body, key, now() - 310)],
      [body, await sign(id, body, key, now() + 310)],
      [body, { ...(await sign(id, body)), 'webhook-signature': 'v1a,' }],
      [body, { 'content-type': 'application/json' }],
      [body, await sign(newId(), body)],
    ]
    for (const [at, [text, headers]] of forged.entries()) {
      const { status, body: problem } = await send(receiver, text, headers)
      expect({ at, status, code: problem['code'] }).toEqual({
        at,
        status: 401,
        code: 'webhook_signature_invalid',
      })
    }
    expect(await inboxOf(receiver)).toEqual([])
  },
)

verifies(
  'callback.demo-receiver',
  'it refuses as many attempts as it is asked to and then takes the next',
  async () => {
    const [receiver, id] = [newReceiver(), newId()]
    const body = bodyOf(id)
    const statuses: number[] = []
    for (let n = 0; n < 4; n++)
      statuses.push((await send(receiver, body, await sign(id, body), 2)).status)
    expect(statuses).toEqual([503, 503, 200, 200])
    expect(await inboxOf(receiver)).toMatchObject([{ attempts: 4 }])
    const other = newId()
    const waiting = bodyOf(other)
    expect((await send(receiver, waiting, await sign(other, waiting), 5)).status).toBe(503)
    expect(await inboxOf(receiver)).toMatchObject([
      { delivery_id: other, received_at: null },
      { delivery_id: id },
    ])
  },
)

verifies(
  'callback.demo-receiver',
  'a question whether the host wants callbacks is echoed and not kept',
  async () => {
    const [receiver, delivery_id] = [newReceiver(), newId()]
    const body = canonicalJson({
      event: 'host_proof',
      nonce: 'bm9uY2U',
      delivery_id,
      at: new Date().toISOString(),
    })
    expect(await send(receiver, body, await sign(delivery_id, body), 5)).toMatchObject({
      status: 200,
      body: { nonce: 'bm9uY2U' },
    })
    expect(await inboxOf(receiver)).toEqual([])
  },
)

verifies('callback.examples', 'each example verifies with its receiver at its time', async () => {
  const client = createClient({ baseUrl: apis.hosts[0]!.base })
  const { body } = await client.call('callback-examples', {})
  expect(body.events.map(({ event }) => event)).toEqual([
    'host_proof',
    'credential_ready',
    'task_updated',
    'payout_updated',
  ])
  for (const { headers, body: text, public_key } of body.events) {
    expect(isFromService(headers, Buffer.from(text), public_key, body.signed_at)).toBe(true)
    expect(isFromService(headers, Buffer.from(`${text} `), public_key, body.signed_at)).toBe(false)
  }
  expect(body.receivers.map(({ language }) => language)).toEqual([
    'typescript',
    'python',
    'go',
    'shell',
  ])
  expect(body.receivers[0]?.code).toContain('export function isFromService')
  expect(body.retry_rules.seconds_before_each).toEqual([
    0, 5, 300, 1_800, 7_200, 18_000, 36_000, 86_400,
  ])
  const { body: one } = await client.call('callback-examples', { language: 'go' })
  expect(one.receivers.map(({ language }) => language)).toEqual(['go'])
})
