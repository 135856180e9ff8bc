import { createHmac } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import { loadProviderKeys } from '../../../activities/keys/provider-keys.ts'
import { verifyProviderSignature } from '../../../workflows/domain/provider-signature.ts'
import { verifies } from '../../verifies.ts'

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const stripe = 'whsec_0123456789abcdef'
const path = join(mkdtempSync(join(tmpdir(), 'provider-keys-')), 'keys.json')
const write = (keys: unknown) => writeFileSync(path, JSON.stringify(keys))
const now = new Date('2026-11-21T12:00:00Z')
const body = '{"event_id":"evt_1"}'

verifies('money.webhook-signature', 'with the keys of the file, what the outside library signs is believed', () => {
  write([
    { provider: 'checkout', scheme: 'standard', key: secret },
    { provider: 'stripe', scheme: 'stripe', key: stripe },
  ])
  const keys = loadProviderKeys(path)
  const seconds = now.getTime() / 1000
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
  }
  expect(verifyProviderSignature(headers, Buffer.from(body), keys, seconds)).toBe('checkout')
  const hex = createHmac('sha256', stripe).update(`${seconds}.${body}`).digest('hex')
  const stripeHeaders = { 'stripe-signature': `t=${seconds},v1=${hex}` }
  expect(verifyProviderSignature(stripeHeaders, Buffer.from(body), keys, seconds)).toBe('stripe')
})

verifies(
  'money.webhook-signature',
  'no file is no key, and a file with anything else in it is refused without being quoted',
  () => {
    expect(loadProviderKeys('')).toEqual([])
    for (const wrong of [
      {},
      [{ provider: 'x', scheme: 'standard', key: 'short-secret-of-somebody' }],
      [{ provider: 'x', scheme: 'other', key: stripe }],
    ]) {
      write(wrong)
      expect(() => loadProviderKeys(path)).toThrow(path)
      expect(() => loadProviderKeys(path)).not.toThrow(/short-secret/)
    }
  },
)
