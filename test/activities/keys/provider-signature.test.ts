import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import {
  loadProviderKeys,
  type ProviderKey,
  verifyProviderSignature,
} from '../../../activities/keys/provider-signature.ts'
import { verifies } from '../../verifies.ts'

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const stripe = 'whsec_0123456789abcdef'
const path = join(mkdtempSync(join(tmpdir(), 'provider-keys-')), 'keys.json')
const write = (keys: unknown) => writeFileSync(path, JSON.stringify(keys))
const now = new Date('2026-11-21T12:00:00Z')
const body = '{"event_id":"evt_1"}'

verifies(
  'money.webhook-signature',
  'with the keys of the file, what the outside library signs is believed',
  () => {
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
  },
)

verifies(
  'money.webhook-signature',
  'no file means no key; wrong content is refused without quoting it',
  () => {
    expect(loadProviderKeys('')).toEqual([])
    for (const wrong of [
      {},
      [{ provider: 'x', scheme: 'standard', key: 'short-secret-of-a-provider' }],
      [{ provider: 'x', scheme: 'other', key: stripe }],
    ]) {
      write(wrong)
      expect(() => loadProviderKeys(path)).toThrow(path)
      expect(() => loadProviderKeys(path)).not.toThrow(/short-secret/)
    }
  },
)

verifies(
  'admission.signature-list',
  'a v1a signature is found among four; a longer list is refused unread',
  () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const x = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url')
    const keys: ProviderKey[] = [
      { provider: 'checkout', scheme: 'standard', key: `whpk_${x.toString('base64')}` },
    ]
    const at = now.getTime() / 1000
    const good = `v1a,${sign(null, Buffer.from(`msg_1.${at}.${body}`), privateKey).toString('base64')}`
    const wrong = `v1a,${Buffer.alloc(64, 1).toString('base64')}`
    const verified = (list: string[]) =>
      verifyProviderSignature(
        {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(at),
          'webhook-signature': list.join(' '),
        },
        Buffer.from(body),
        keys,
        at,
      )
    expect(verified([wrong, wrong, wrong, good])).toBe('checkout')
    for (const list of [
      [wrong],
      ['v1a,'],
      ['v1a'],
      [wrong, wrong, wrong, wrong, good],
      Array<string>(165).fill(good),
    ])
      expect(() => verified(list)).toThrow(
        expect.objectContaining({
          refusal: expect.objectContaining({ code: 'webhook_signature_invalid' }),
        }),
      )
    const { user, system } = process.cpuUsage()
    for (let call = 0; call < 20; call++)
      expect(() => verified([wrong, wrong, wrong, wrong])).toThrow()
    const used = process.cpuUsage({ user, system })
    expect((used.user + used.system) / 20_000).toBeLessThan(10)
  },
)
