import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { signWebhook, webhookPublicKey } from '../../../activities/keys/webhook.ts'
import { verifies } from '../../verifies.ts'

const key = keyRings(generateSigningKeys(new Date())).callback.active
const message = () => ({
  id: 'cb_1',
  timestamp: Math.floor(Date.now() / 1000),
  body: '{"event":"task_updated","note":"grün ✓"}',
})
const secret = `whsec_${randomBytes(32).toString('base64')}`

verifies(
  'callback.signature',
  'the v1 signature is one that the library of Standard Webhooks accepts',
  async () => {
    const signed = message()
    const headers = await signWebhook(key, signed, secret)
    expect(new Webhook(secret).verify(signed.body, headers)).toEqual(JSON.parse(signed.body))
    for (const forged of [`${signed.body} `, signed.body.replace('grün', 'blau')])
      expect(() => new Webhook(secret).verify(forged, headers)).toThrow()
    expect(() =>
      new Webhook(secret).verify(signed.body, { ...headers, 'webhook-id': 'cb_2' }),
    ).toThrow()
    const late = await signWebhook(key, { ...signed, timestamp: signed.timestamp - 301 }, secret)
    expect(() => new Webhook(secret).verify(signed.body, late)).toThrow(/too old/)
  },
)

verifies(
  'callback.signature',
  'the v1a signature covers id, time and body, and needs the key alone',
  async () => {
    const signed = message()
    const headers = await signWebhook(key, signed)
    const [version, text = ''] = headers['webhook-signature'].split(',')
    expect(version).toBe('v1a')
    const raw = Buffer.from(webhookPublicKey(key.publicJwk).replace('whpk_', ''), 'base64')
    expect(raw).toHaveLength(32)
    const publicKey = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
      format: 'jwk',
    })
    const check = (id: string, timestamp: number, body: string) =>
      verify(
        null,
        Buffer.from(`${id}.${timestamp}.${body}`),
        publicKey,
        Buffer.from(text, 'base64'),
      )
    expect(check(signed.id, signed.timestamp, signed.body)).toBe(true)
    expect([
      check('cb_2', signed.timestamp, signed.body),
      check(signed.id, 1, signed.body),
      check(signed.id, signed.timestamp, '{}'),
    ]).toEqual([false, false, false])
  },
)

verifies('callback.signature', 'what is no shared secret is refused', async () => {
  for (const faulty of [
    '',
    'whsec_',
    'whsec_AAAA',
    `whsec_${randomBytes(65).toString('base64')}`,
    randomBytes(32).toString('base64'),
  ])
    await expect(signWebhook(key, message(), faulty), faulty).rejects.toThrow()
})
