import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { BodyDigest, Challenge, Credential, evm, Receipt } from 'mppx'
import { expect } from 'vitest'
import {
  type ChargedCall,
  challengeHeader,
  challengeNonce,
  credentialHeader,
  receiptHeader,
} from '#domain/payments/mpp.ts'
import { parsePayment } from '#domain/payments/payment.ts'
import { deriveTokens } from '../../../activities/keys/derived-tokens.ts'
import { createMpp } from '../../../activities/payments/mpp.ts'
import { newWallet } from '../../support/chain.ts'
import { answerBy, forged, readCredential } from '../../support/mpp.ts'
import { verifies } from '../../verifies.ts'

// The judge is mppx: its client signs, and its server code reads what is made here.
const shop = newWallet().address
const { account } = newWallet()
const asset = `0x${'a5'.repeat(20)}`
const terms = (price: bigint) => ({
  scheme: 'exact',
  network: 'eip155:8453' as const,
  asset,
  amount: String(price),
  payTo: shop,
  maxTimeoutSeconds: 600,
  extra: { name: 'USD Coin', version: '2' },
})
const keys = [{ key: randomBytes(32), since: 0 }]
const tokens = deriveTokens(
  () => keys,
  async () => undefined,
)
const mppOf = (secrets = tokens.challengeSecrets, baseUrl = 'https://svc.example:8443') =>
  createMpp({ baseUrl, secrets, requirements: ({ price }) => terms(price) })
const mpp = mppOf()
const now = () => Math.floor(Date.now() / 1000)
const call: ChargedCall = {
  callId: 'call_1',
  body: Buffer.from('{"idempotency_key":"k"}'),
  header: 'Authorization',
}
const offer = (of: ChargedCall = call, at = now()) => mpp.challenge(terms(100_000n), of, at)
/** The credential of the mppx client for this challenge. */
const sign = (challenge: Parameters<typeof challengeHeader>[0]) =>
  answerBy(
    account,
    new Response(null, {
      status: 402,
      headers: { 'WWW-Authenticate': challengeHeader(challenge) },
    }),
  )
const refusalOf = (accept: () => unknown): string => {
  try {
    accept()
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

const anyCall = fc.record({
  callId: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
  body: fc.option(fc.uint8Array({ maxLength: 200 })),
  header: fc.constantFrom('Authorization' as const, 'Payment-Authorization' as const),
})
const price = fc.bigInt({ min: 1n, max: 10n ** 15n })
const seconds = fc.integer({ min: 1_700_000_000, max: 4_000_000_000 })

verifies('mpp.wire', 'mppx reads every challenge, and recognises its id and nonce', () => {
  fc.assert(
    fc.property(anyCall, price, seconds, (of, amount, at) => {
      const challenge = mpp.challenge(terms(amount), of, at)
      const [read, ...others] = Challenge.fromResponseList(
        new Response(null, {
          status: 402,
          headers: { 'WWW-Authenticate': `Bearer, ${challengeHeader(challenge)}` },
        }),
      )
      expect(others).toEqual([])
      expect(read).toEqual(challenge)
      expect(Challenge.verify(read as never, { secretKey: tokens.challengeSecrets()[0] })).toBe(
        true,
      )
      expect(evm.challengeHash(read as never)).toBe(challengeNonce(challenge))
      expect(Challenge.credentialHeader(read as never)).toBe(of.header)
      expect(Date.parse(challenge.expires)).toBe((at + 600) * 1000)
      expect(evm.ChargeRequestSchema.parse(challenge.request)).toMatchObject({
        amount: String(amount),
        currency: asset,
        recipient: shop,
      })
    }),
  )
  const text = '{"a":"ä"}'
  expect(offer({ ...call, body: Buffer.from(text) }).digest).toBe(BodyDigest.compute(text))
  expect(offer({ ...call, body: null })).not.toHaveProperty('digest')
})

verifies('mpp.wire', 'mppx signs for a challenge, and x402 reads the same payment', async () => {
  const challenge = offer()
  const header = await sign(challenge)
  const accepted = mpp.accept(header, call, now())
  const payment = parsePayment(
    JSON.parse(Buffer.from(accepted, 'base64').toString()),
    accepted,
    terms(100_000n),
  )
  expect(payment).toMatchObject({
    payer: account.address.toLowerCase(),
    payTo: shop.toLowerCase(),
    value: 100_000n,
    nonce: challengeNonce(challenge),
    validBefore: BigInt(Date.parse(challenge.expires) / 1000),
    accepted: terms(100_000n),
  })
  const overMcp = credentialHeader(Credential.deserialize(header))
  expect(mpp.accept(overMcp, call, now())).toBe(accepted)
  const receipt = {
    method: 'evm',
    status: 'success',
    reference: `0x${'1'.repeat(64)}`,
    timestamp: '2026-11-27T08:00:00.000Z',
  } as const
  expect(Receipt.deserialize(receiptHeader(receipt))).toEqual(receipt)
})

verifies('mpp.one-call', 'a credential fits no other call, body, header or amount', async () => {
  const header = await sign(offer())
  const accepting = (other: Partial<ChargedCall>) => () =>
    mpp.accept(header, { ...call, ...other }, now())
  expect(refusalOf(accepting({}))).toBe('accepted')
  expect(refusalOf(accepting({ callId: 'call_2' }))).toContain('for another call')
  expect(refusalOf(accepting({ body: Buffer.from('{}') }))).toContain('for another body')
  expect(refusalOf(accepting({ body: null }))).toContain('for another body')
  expect(refusalOf(accepting({ header: 'Payment-Authorization' }))).toContain('another header')
  const costly = mppOf(undefined, 'https://other.example')
  expect(refusalOf(() => costly.accept(header, call, now()))).toContain('another service')
  fc.assert(
    fc.property(anyCall, anyCall, (one, other) => {
      const ids = [offer(one, 1_800_000_000).id, offer(other, 1_800_000_000).id]
      const same =
        one.callId === other.callId &&
        one.header === other.header &&
        Buffer.from(one.body ?? []).equals(Buffer.from(other.body ?? [])) &&
        (one.body === null) === (other.body === null)
      expect(ids[0] === ids[1]).toBe(same)
    }),
  )
})

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
type Forgery = Parameters<typeof forged>[1]
const forgeries: Record<string, [string, Forgery]> = {
  'another realm': ['another service', ({ challenge }) => (challenge['realm'] = 'evil.example')],
  'another method': ['the method evm', ({ challenge }) => (challenge['method'] = 'tempo')],
  'another intent': ['the intent charge', ({ challenge }) => (challenge['intent'] = 'session')],
  'a lower amount': [
    'not made here',
    ({ challenge }) => {
      const request = JSON.parse(Buffer.from(String(challenge['request']), 'base64url').toString())
      const { currency, methodDetails, recipient } = request
      challenge['request'] = base64url({ amount: '1', currency, methodDetails, recipient })
    },
  ],
  'another payee in the request': [
    'other terms',
    ({ challenge }) => {
      const request = JSON.parse(Buffer.from(String(challenge['request']), 'base64url').toString())
      challenge['request'] = base64url({ ...request, recipient: account.address })
    },
  ],
  'a request that is none': [
    'other terms',
    ({ challenge }) => (challenge['request'] = base64url([1])),
  ],
  'a later end': [
    'not made here',
    ({ challenge }) => (challenge['expires'] = '2099-01-01T00:00:00Z'),
  ],
  'an end that is no time': ['challenge/expires', ({ challenge }) => (challenge['expires'] = 'x')],
  'another id': ['the nonce', ({ challenge }) => (challenge['id'] = 'x'.repeat(43))],
  'a longer id': ['challenge/id', ({ challenge }) => (challenge['id'] = 'x'.repeat(44))],
  'an id of longer characters': [
    'challenge/id',
    ({ challenge }) => (challenge['id'] = 'é'.repeat(43)),
  ],
  'another nonce': ['the nonce', ({ payload }) => (payload['nonce'] = `0x${'00'.repeat(32)}`)],
  'another source': [
    'the source',
    (credential) => (credential.source = `did:pkh:eip155:8453:${shop}`),
  ],
  'another kind of payload': ['payload/type', ({ payload }) => (payload['type'] = 'hash')],
  'a member more': ['/challenge', ({ challenge }) => (challenge['more'] = 'x')],
}

verifies('mpp.refused', 'each fault of a credential is named', async () => {
  const header = await sign(offer())
  for (const [name, [detail, change]] of Object.entries(forgeries)) {
    const refused = refusalOf(() => mpp.accept(forged(header, change), call, now()))
    expect(refused, name).toContain('payment_invalid')
    expect(refused, name).toContain(detail)
  }
  for (const none of ['Payment', 'Payment x', 'Payment e30', `${header}=`, `${header}, Bearer x`])
    expect(
      refusalOf(() => mpp.accept(none, call, now())),
      none,
    ).toContain('payment_invalid')
  expect(refusalOf(() => mpp.accept(header, call, now() + 601))).toContain('has expired')
  const rest = ['request', 'meta', 'challenge']
  for (const value of [undefined, null, 1, 'x', { challenge: { request: '\ud800' } }, ...rest])
    expect(refusalOf(() => mpp.accept(credentialHeader(value), call, now()))).toContain(
      'payment_invalid',
    )
})

verifies('calls.one-reader', 'a credential that names a member twice is refused', async () => {
  const json = Buffer.from((await sign(offer())).slice('Payment '.length), 'base64url').toString()
  const sent = (text: string) => `Payment ${Buffer.from(text).toString('base64url')}`
  expect(refusalOf(() => mpp.accept(sent(json), call, now()))).toBe('accepted')
  for (const twice of [json.replace('"nonce"', '"nonce":"0x00","nonce"'), `\ufeff${json}`])
    expect(refusalOf(() => mpp.accept(sent(twice), call, now()))).toContain('payment_invalid')
})

verifies('mpp.no-storage', 'another process and a later key know a challenge', async () => {
  const header = await sign(offer())
  const next = { key: randomBytes(32), since: 1 }
  const rotated = deriveTokens(
    () => [...keys, next],
    async () => undefined,
  )
  const other = deriveTokens(
    () => [next],
    async () => undefined,
  )
  expect(tokens.challengeSecrets()[0].length).toBeGreaterThanOrEqual(32)
  expect(rotated.challengeSecrets()[0]).not.toBe(tokens.challengeSecrets()[0])
  const accepting = (secrets: typeof tokens.challengeSecrets) => () =>
    mppOf(secrets).accept(header, call, now())
  expect(refusalOf(accepting(rotated.challengeSecrets))).toBe('accepted')
  expect(refusalOf(accepting(other.challengeSecrets))).toContain('not made here')
  expect(readCredential(header).challenge['id']).toHaveLength(43)
})
