import { afterAll, beforeAll, expect } from 'vitest'
import { type SigningKey, signCompact } from '../../../activities/keys/compact.ts'
import { loadKeyRings } from '../../../activities/keys/key-ring.ts'
import { signWebhook } from '../../../activities/keys/webhook.ts'
import {
  createClient,
  type KeySet,
  registerAgent,
  verifyReceipt,
  verifyReceiptChain,
  verifyWebhook,
} from '../../../clients/typescript/src/index.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { rotateKeysFile } from '../../support/rotated-keys.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed()
})
afterAll(() => apis?.stop())

const hosts = () => ({
  baseUrl: apis.hosts[0]!.base,
  osUrl: apis.hosts[0]!.os,
  origin: apis.config.BASE_URL,
})
const client = () => createClient({ ...hosts(), operator: apis.operator })
const keySet = async () => (await client().call('jwks', {})).body
const rings = () => loadKeyRings(apis.config.SIGNING_KEYS_FILE)
const rotate = async () => {
  rotateKeysFile(apis.config.SIGNING_KEYS_FILE)
  await client().call('keys-publish', {
    mode: 'publish_keys',
    reason: 'spring',
    idempotency_key: crypto.randomUUID(),
  })
}
const end = (act: 'retire' | 'revoke', { kid }: SigningKey) => {
  const why = { kid, reason: 'ended', idempotency_key: crypto.randomUUID() }
  return act === 'retire'
    ? client().call('keys-retire', { mode: 'retire_key', ...why })
    : client().call('keys-revoke', { mode: 'revoke_key', ...why })
}
const sandbox = () =>
  registerAgent(hosts(), {
    name: 'Verifier',
    contact: { email: 'verifier@agent.example' },
    rails: ['packetops'],
    requested_scopes: ['runs:read'],
    sandbox: true,
  })
const nowSeconds = () => Math.floor(Date.now() / 1000)

verifies(
  'client.receipts',
  'receipts verify by active and retired keys, not by others',
  async () => {
    const { jws } = (await sandbox()).registered.receipt
    const key = rings().receipt.active
    const forge = (by: SigningKey, iat: number, typ = 'receipt+jwt') =>
      signCompact(by, { typ, payload: { kind: 'onboarding', prev: null, iat } })
    expect(await verifyReceipt(jws, await keySet())).toMatchObject({
      kind: 'onboarding',
      prev: null,
    })
    const [head = '', payload = '', signature = ''] = jws.split('.')
    const altered = Buffer.from(
      Buffer.from(payload, 'base64url').toString().replace('onboarding', 'settlement'),
    )
    const refusals: [string, string | RegExp][] = [
      [`${head}.${altered.toString('base64url')}.${signature}`, 'signature verification failed'],
      [await forge(rings().authority.active, nowSeconds()), 'does not sign receipts'],
      [await forge(key, nowSeconds(), 'statement+jwt'), 'this is no receipt'],
      [
        await signCompact({ ...key, kid: 'receipt-unknown' }, { typ: 'receipt+jwt', payload: {} }),
        /no applicable key/,
      ],
      [
        await signCompact(
          { ...rings().callback.active, kid: key.kid },
          { typ: 'receipt+jwt', payload: {} },
        ),
        'signature',
      ],
    ]
    for (const [receipt, reason] of refusals)
      await expect(verifyReceipt(receipt, await keySet())).rejects.toThrow(reason)

    await rotate()
    await end('retire', key)
    const retired = await keySet()
    expect(await verifyReceipt(jws, retired)).toMatchObject({ kind: 'onboarding' })
    await expect(verifyReceipt(await forge(key, nowSeconds() + 5), retired)).rejects.toThrow(
      'after its key was retired',
    )
    await expect(
      verifyReceipt(await signCompact(key, { typ: 'receipt+jwt', payload: {} }), retired),
    ).rejects.toThrow('retired')
    const next = (await sandbox()).registered.receipt.jws
    expect(await verifyReceipt(next, retired)).toMatchObject({ kind: 'onboarding' })
    await expect(verifyReceiptChain([jws, next], retired)).rejects.toThrow('a receipt is missing')

    await end('revoke', key)
    await expect(verifyReceipt(jws, await keySet())).rejects.toThrow('revoked')
    expect(await verifyReceipt(next, await keySet())).toMatchObject({ kind: 'onboarding' })
    // A key set that was saved before cannot know.
    expect(await verifyReceipt(jws, retired)).toMatchObject({ kind: 'onboarding' })
  },
)

verifies(
  'client.webhooks',
  'signed webhooks verify; forged, altered, expired, replayed ones do not',
  async () => {
    const { events, signed_at: at } = (await client().call('callback-examples', {})).body
    const keys = await keySet()
    expect(events.length).toBeGreaterThan(2)
    for (const { headers, body, public_key } of events)
      for (const by of [keys, public_key]) expect(verifyWebhook(headers, body, by, at)).toBe(true)

    const { headers, body } = events[0]!
    const check = (changed: Record<string, string>, text = body, now = at, by: KeySet = keys) =>
      verifyWebhook({ ...headers, ...changed }, text, by, now)
    expect(verifyWebhook(new Headers(headers), Buffer.from(body), keys, at)).toBe(true)
    const stranger = await signWebhook(rings().authority.active, {
      id: String(headers['webhook-id']),
      timestamp: at,
      body,
    })
    const forged = stranger['webhook-signature']
    const refused = {
      altered: check({}, body.replace('host_proof', 'task_updated')),
      renamed: check({ 'webhook-id': 'cb_other' }),
      redated: check({ 'webhook-timestamp': String(at + 600) }, body, at + 600),
      expired: check({}, body, at + 301),
      ahead: check({}, body, at - 301),
      unsigned: check({ 'webhook-signature': '' }),
      otherScheme: check({
        'webhook-signature': String(headers['webhook-signature']).replace('v1a,', 'v1,'),
      }),
      forged: check({ 'webhook-signature': forged }),
      crowded: check({
        'webhook-signature': `${`${forged} `.repeat(4)}${headers['webhook-signature']}`,
      }),
      nameless: check({ 'webhook-id': '' }),
      undated: check({ 'webhook-timestamp': 'today' }),
      strangersSet: check({}, body, at, {
        keys: keys.keys.filter((key) => key['use_for'] !== 'callback'),
      }),
    }
    expect(Object.entries(refused).filter(([, taken]) => taken)).toEqual([])
    // A replay within five minutes is the same message under the same id, which its receiver has kept.
    expect(check({}, body, at + 299)).toBe(true)
    expect(check({ 'webhook-signature': `${forged} ${headers['webhook-signature']}` })).toBe(true)

    const callback = rings().callback.active
    const before = await signWebhook(callback, { id: 'cb_early', timestamp: nowSeconds(), body })
    await rotate()
    await end('retire', callback)
    const retired = await keySet()
    const late = nowSeconds() + 5
    const after = await signWebhook(callback, { id: 'cb_late', timestamp: late, body })
    expect(verifyWebhook(before, body, retired, nowSeconds())).toBe(true)
    expect(verifyWebhook(before, body, await keySet(), nowSeconds() + 301)).toBe(false)
    expect(verifyWebhook(after, body, retired, late)).toBe(false)
    await end('revoke', callback)
    expect(verifyWebhook(before, body, await keySet(), nowSeconds())).toBe(false)
  },
)
