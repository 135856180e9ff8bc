import { createHash } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { checkPaymentWindow, type PaymentTerms } from '#domain/payments/payment.ts'
import { readPaymentHeader } from '../../../activities/payments/payment-header.ts'
import { verifies } from '../../verifies.ts'

const asset = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const payTo = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const payer = privateKeyToAccount(`0x${'11'.repeat(32)}`).address
const offer: PaymentTerms = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset,
  amount: '100000',
  payTo,
  maxTimeoutSeconds: 600,
  extra: { name: 'USD Coin', version: '2' },
}
const authorization = {
  from: payer as string,
  to: payTo,
  value: '100000',
  validAfter: '0',
  validBefore: '1795248434',
  nonce: `0x${'AB'.repeat(32)}`,
}
const signature = `0x${'Cd'.repeat(65)}`
const payment = {
  x402Version: 2,
  payload: { authorization, signature },
  resource: { url: 'https://svc.example/api/payout-create' },
  accepted: offer,
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const read = (value: unknown) => readPaymentHeader({ 'payment-signature': encode(value) }, offer)
const refused = (act: () => unknown) =>
  expect(act).toThrow(
    expect.objectContaining({ refusal: expect.objectContaining({ code: 'payment_invalid' }) }),
  )

verifies(
  'x402.payment-id',
  'a payment is read with its hex in lowercase and its id derived',
  () => {
    expect(read(payment)).toEqual({
      paymentId: createHash('sha256')
        .update(`x402:2:eip155:8453:${asset}:${payer.toLowerCase()}:0x${'ab'.repeat(32)}`)
        .digest('hex'),
      payer: payer.toLowerCase(),
      payTo,
      value: 100_000n,
      validAfter: 0n,
      validBefore: 1_795_248_434n,
      nonce: `0x${'ab'.repeat(32)}`,
      signature: `0x${'cd'.repeat(65)}`,
      accepted: offer,
      raw: encode(payment),
    })
  },
)

test('mixed-case hex of a nonce is the same payment', () => {
  const upper = { ...authorization, nonce: `0x${'AB'.repeat(32)}` }
  const lower = { ...authorization, nonce: `0x${'ab'.repeat(32)}` }
  const ids = [upper, lower].map(
    (terms) => read({ ...payment, payload: { authorization: terms, signature } })?.paymentId,
  )
  expect(ids[0]).toBe(ids[1])
})

verifies('x402.extensions', 'extensions of a client change nothing of its payment', () => {
  const extensions = { 'payment-identifier': { info: { id: 'x' } } }
  const { raw: _with, ...extended } = Object(read({ ...payment, extensions }))
  const { raw: _without, ...plain } = Object(read(payment))
  expect(extended).toEqual(plain)
})

verifies('calls.one-reader', 'a payment that names a member twice is refused', () => {
  const json = JSON.stringify(payment)
  for (const twice of [
    json.replace('{', '{"x402Version":1,'),
    json.replace('"nonce"', `"nonce":"0x${'00'.repeat(32)}","nonce"`),
  ])
    refused(() =>
      readPaymentHeader({ 'payment-signature': Buffer.from(twice).toString('base64') }, offer),
    )
})

test('no header is no payment', () => {
  expect(readPaymentHeader({}, offer)).toBeUndefined()
})

const withPayload = (payload: unknown) => ({ ...payment, payload })
const withAuthorization = (more: object) =>
  withPayload({ authorization: { ...authorization, ...more }, signature })

test.each<[string, unknown]>([
  ['version 1', { ...payment, x402Version: 1 }],
  ['an unknown member', { ...payment, extra: 1 }],
  ['extensions that are a list', { ...payment, extensions: [] }],
  ['no accepted terms', { ...payment, accepted: undefined }],
  [
    'an additional permit2 authorization',
    withPayload({ authorization, signature, permit2Authorization: {} }),
  ],
  ['a permit2 authorization alone', withPayload({ permit2Authorization: {}, signature })],
  [
    'an ERC-6492 wrapper',
    withPayload({ authorization, signature: `0x${'00'.repeat(300)}${'6492'.repeat(16)}` }),
  ],
  ['a 64-byte signature', withPayload({ authorization, signature: `0x${'cd'.repeat(64)}` })],
  ['a seventh member', withAuthorization({ salt: '1' })],
  ['no nonce', withAuthorization({ nonce: undefined })],
  ['a short nonce', withAuthorization({ nonce: '0x12' })],
  ['a value that is a number', withAuthorization({ value: 100_000 })],
  ['a value with a leading zero', withAuthorization({ value: '0100000' })],
  ['a value in hex', withAuthorization({ value: '0x186a0' })],
  ['a value past 256 bits', withAuthorization({ validBefore: (2n ** 256n).toString() })],
  ['another value', withAuthorization({ value: '99999' })],
  ['another recipient', withAuthorization({ to: payer })],
  ['another network', { ...payment, accepted: { ...offer, network: 'eip155:84532' } }],
  ['another amount', { ...payment, accepted: { ...offer, amount: '1' } }],
  ['another payTo', { ...payment, accepted: { ...offer, payTo: payer } }],
  ['another asset', { ...payment, accepted: { ...offer, asset: payer } }],
  ['another scheme', { ...payment, accepted: { ...offer, scheme: 'upto' } }],
  [
    'another token name',
    { ...payment, accepted: { ...offer, extra: { name: 'USDC', version: '2' } } },
  ],
  [
    'another payment flow',
    { ...payment, accepted: { ...offer, extra: { ...offer.extra, paymentFlow: 'upfront' } } },
  ],
  ['a list', [payment]],
  ['null', null],
])('a payment with %s is refused', (_, value) => {
  refused(() => read(value))
})

test.each<[string, Record<string, string | string[]>]>([
  ['a doubled header', { 'payment-signature': [encode(payment), encode(payment)] }],
  [
    'a doubled header joined by a comma',
    { 'payment-signature': `${encode(payment)}, ${encode(payment)}` },
  ],
  [
    'base64url',
    {
      'payment-signature': Buffer.from(
        JSON.stringify({ ...payment, resource: { url: '???>>>~~~' } }),
      ).toString('base64url'),
    },
  ],
  [
    'base64 without its padding',
    {
      'payment-signature': encode({ ...payment, resource: { url: 'a' } })
        .replace(/=+$/, '')
        .slice(0, -1),
    },
  ],
  ['plain JSON', { 'payment-signature': JSON.stringify(payment) }],
  ['base64 of something else', { 'payment-signature': Buffer.from('hello').toString('base64') }],
  [
    'base64 of bytes that are not UTF-8',
    { 'payment-signature': Buffer.from([0xff, 0xfe, 0xfd]).toString('base64') },
  ],
  ['an empty header', { 'payment-signature': '' }],
  ['the header of version 1', { 'x-payment': encode(payment) }],
  [
    'an additional header of version 1',
    { 'x-payment': encode(payment), 'payment-signature': encode(payment) },
  ],
  [
    'a header of 20 KB',
    { 'payment-signature': encode({ ...payment, resource: { url: 'a'.repeat(20_000) } }) },
  ],
])('%s is refused', (_, headers) => {
  refused(() => readPaymentHeader(headers, offer))
})

verifies('x402.remaining-life', 'the window is judged by the clock that is passed in', () => {
  const strict = read(payment)!
  const end = Number(strict.validBefore)
  expect(() => checkPaymentWindow(strict, end - 60, 60)).not.toThrow()
  refused(() => checkPaymentWindow(strict, end - 59, 60))
  refused(() => checkPaymentWindow(strict, end - 24 * 3600 - 1, 60))
  refused(() => checkPaymentWindow({ ...strict, validAfter: BigInt(end - 100) }, end - 100, 60))
})
