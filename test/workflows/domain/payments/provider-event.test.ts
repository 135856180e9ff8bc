import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { readProviderEvent } from '#domain/payments/provider-event.ts'
import {
  type ProviderKey,
  verifyProviderSignature,
  type WebhookHeaders,
} from '../../../../activities/keys/provider-signature.ts'
import { verifies } from '../../../verifies.ts'

const now = 1_795_248_310
const body = Buffer.from('{"event_id":"evt_1","type":"payment.settled"}')
const secret = Buffer.from('a secret of twenty-four bytes!')
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const rawPublic = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
const keys: ProviderKey[] = [
  { provider: 'symmetric', scheme: 'standard', key: `whsec_${secret.toString('base64')}` },
  { provider: 'asymmetric', scheme: 'standard', key: `whpk_${rawPublic.toString('base64')}` },
  { provider: 'stripe', scheme: 'stripe', key: 'whsec_test' },
]

// Made with node:crypto alone, by the words of the two specifications.
const content = (id: string, time: number, bytes = body) =>
  Buffer.concat([Buffer.from(`${id}.${time}.`), bytes])
const v1 = (time = now) =>
  `v1,${createHmac('sha256', secret).update(content('msg_1', time)).digest('base64')}`
const v1a = (time = now) =>
  `v1a,${sign(null, content('msg_1', time), privateKey).toString('base64')}`
const standard = (signature: string, time = now): WebhookHeaders => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(time),
  'webhook-signature': signature,
})
const stripe = (time = now, key = 'whsec_test') => {
  const hex = createHmac('sha256', key).update(`${time}.`).update(body).digest('hex')
  return { 'stripe-signature': `t=${time},v1=${'0'.repeat(64)},v1=${hex},v0=ignored` }
}
const provider = (headers: WebhookHeaders, bytes = body, at = now) =>
  verifyProviderSignature(headers, bytes, keys, at)
const refused = expect.objectContaining({
  refusal: expect.objectContaining({ code: 'webhook_signature_invalid' }),
})

verifies(
  'money.webhook-signature',
  'each of the three forms is known by the key that made it',
  () => {
    expect(provider(standard(v1()))).toBe('symmetric')
    expect(provider(standard(v1a()))).toBe('asymmetric')
    expect(provider(standard(`v1,AAAA v2,x ${v1a()}`))).toBe('asymmetric')
    expect(provider(stripe())).toBe('stripe')
  },
)

verifies(
  'money.webhook-signature',
  'age, another id, another key and a missing header are refused',
  () => {
    for (const at of [now - 301, now + 301])
      expect(() => provider(standard(v1(), now), body, at)).toThrow(refused)
    expect(provider(standard(v1()), body, now + 300)).toBe('symmetric')
    expect(() => provider({ ...standard(v1()), 'webhook-id': 'msg_2' })).toThrow(refused)
    expect(() => provider({ ...standard(v1()), 'webhook-timestamp': String(now + 1) })).toThrow(
      refused,
    )
    expect(() => provider({ ...standard(v1()), 'webhook-timestamp': 'soon' })).toThrow(refused)
    expect(() => provider({ ...standard(v1()), 'webhook-signature': [v1(), v1()] })).toThrow(
      refused,
    )
    expect(() => provider(standard(''))).toThrow(refused)
    expect(() => provider(stripe(now, 'whsec_other'))).toThrow(refused)
    expect(() => provider(stripe(now - 301))).toThrow(refused)
    expect(() => provider({})).toThrow(refused)
  },
)

verifies('money.webhook-signature', 'a byte that was changed anywhere in the body is found', () => {
  fc.assert(
    fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const changed = Buffer.from(body)
      changed[at] = (changed[at] ?? 0) ^ flip
      for (const headers of [standard(v1()), standard(v1a()), stripe()])
        expect(() => provider(headers, changed)).toThrow(refused)
    }),
  )
})

verifies(
  'money.webhook-signature',
  'a secret serves neither as public key nor in the other form',
  () => {
    const wrong: ProviderKey[] = [
      { provider: 'x', scheme: 'standard', key: `whpk_${secret.toString('base64')}` },
      { provider: 'x', scheme: 'standard', key: `whsec_${rawPublic.toString('base64')}` },
      { provider: 'x', scheme: 'stripe', key: `whsec_${secret.toString('base64')}` },
      { provider: 'x', scheme: 'standard', key: 'whsec_not base64' },
    ]
    for (const headers of [standard(v1()), standard(v1a())])
      expect(() => verifyProviderSignature(headers, body, wrong, now)).toThrow(refused)
  },
)

const challenge_id = `ch_${'ab'.repeat(32)}`

verifies(
  'money.provider-event',
  'a standard event names one payment in whole usd and nothing else',
  () => {
    const event = {
      event_id: 'e',
      type: 'payment.settled',
      external_reference: 's',
      amount_usd: 107,
      currency: 'usd',
    }
    expect(readProviderEvent('standard', event)).toEqual({
      event_id: 'e',
      type: 'payment.settled',
      external_reference: 's',
      payment_intent: null,
      dispute_id: null,
      refund_id: null,
      challenge_id: null,
      wallet_id: null,
      amount_cents: 10_700,
      currency: 'usd',
      said_at: null,
    })
    for (const wrong of [
      { ...event, provider_session_id: 't' },
      { ...event, amount_usd: 1.5 },
      { ...event, type: 7 },
      { ...event, extra: 1 },
      null,
    ])
      expect(() => readProviderEvent('standard', wrong)).toThrow(
        expect.objectContaining({ refusal: expect.objectContaining({ code: 'invalid_request' }) }),
      )
  },
)

verifies(
  'money.provider-event',
  'of Stripe’s events, those about a session are one of the four types',
  () => {
    const session = {
      id: 'cs_1',
      amount_total: 10_700,
      currency: 'usd',
      client_reference_id: challenge_id,
    }
    const charge = {
      id: 'ch_x',
      amount: 10_700,
      amount_refunded: 10_700,
      currency: 'usd',
      metadata: { challenge_id },
    }
    const read = (type: string, object: object) =>
      readProviderEvent('stripe', { id: 'evt_1', type, data: { object } })
    expect(read('checkout.session.completed', { ...session, payment_status: 'paid' })).toEqual({
      event_id: 'evt_1',
      type: 'payment.settled',
      external_reference: 'cs_1',
      payment_intent: null,
      dispute_id: null,
      refund_id: null,
      challenge_id,
      wallet_id: null,
      amount_cents: 10_700,
      currency: 'usd',
      said_at: null,
    })
    expect(
      read('checkout.session.completed', { ...session, payment_status: 'unpaid' }),
    ).toBeUndefined()
    expect(read('checkout.session.async_payment_succeeded', session)?.type).toBe('payment.settled')
    expect(read('checkout.session.async_payment_failed', session)?.type).toBe('payment.failed')
    expect(read('checkout.session.expired', session)?.type).toBe('session.expired')
    expect(read('charge.refunded', charge)).toMatchObject({
      type: 'payment.refunded',
      challenge_id,
    })
    const topUp = { ...session, client_reference_id: `aw_${'cd'.repeat(32)}` }
    expect(read('checkout.session.async_payment_succeeded', topUp)).toMatchObject({
      challenge_id: null,
      wallet_id: topUp.client_reference_id,
    })
    expect(read('customer.created', { id: 'cus_1' })).toBeUndefined()
  },
)
