import { expect, test } from 'vitest'
import { paymentId } from '#domain/core/ids.ts'
import { checkPaymentWindow, type PaymentTerms, parsePayment } from '#domain/payments/payment.ts'
import { refusalOf } from '../refusal.ts'

const payer = `0x${'aB'.repeat(20)}`
const payTo = `0x${'cD'.repeat(20)}`
const offer: PaymentTerms = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: `0x${'3'.repeat(40)}`,
  amount: '1000',
  payTo,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin' },
}
const authorization = {
  from: payer,
  to: payTo,
  value: '1000',
  validAfter: '0',
  validBefore: '2000',
  nonce: `0x${'5'.repeat(64)}`,
}
const payload = { authorization, signature: `0x${'F'.repeat(130)}` }
const payment = { x402Version: 2, payload, accepted: offer }
const parsed = (value: unknown) => parsePayment(value, 'raw', offer)
const signed = (change: object) => ({
  ...payment,
  payload: { ...payload, authorization: { ...authorization, ...change } },
})

test('a payment of the offered terms is read in lowercase', () => {
  const from = payer.toLowerCase() as `0x${string}`
  const nonce = authorization.nonce as `0x${string}`
  expect(parsed(payment)).toEqual({
    paymentId: paymentId(offer.asset, from, nonce),
    payer: from,
    payTo: payTo.toLowerCase(),
    value: 1000n,
    validAfter: 0n,
    validBefore: 2000n,
    nonce,
    signature: `0x${'f'.repeat(130)}`,
    accepted: offer,
    raw: 'raw',
  })
  expect(parsed({ ...payment, resource: { url: 'x' }, extensions: { x: 1 } }).value).toBe(1000n)
})

const MAX = 2n ** 256n - 1n
test.each([
  ['no object', null],
  ['another version', { ...payment, x402Version: 1 }],
  ['an unknown member', { ...payment, extra: 1 }],
  ['a short address', signed({ from: payer.slice(0, -1) })],
  ['a long address', signed({ from: `${payer}0` })],
  ['an address without its prefix', signed({ from: payer.slice(2) })],
  ['a prefix before the address', signed({ from: `x${payer}` })],
  ['a negative value', signed({ value: '-1000' })],
  ['a value with a leading zero', signed({ value: '01000' })],
  ['a value with a letter', signed({ value: '1000x' })],
  ['a value above 256 bits', signed({ validBefore: `${MAX + 1n}` })],
  ['an unknown member of the authorization', signed({ extra: 1 })],
])('%s is refused', (_, value) => {
  expect(refusalOf(() => parsed(value)).code).toBe('payment_invalid')
})

test('the refusal names the member at fault', () => {
  expect(refusalOf(() => parsed(signed({ value: 'x' }))).detail).toMatch(
    /^\/payload\/authorization\/value has another form/,
  )
  expect(refusalOf(() => parsed(null)).detail).toMatch(/^\/ has another form/)
})

test('the largest time of 256 bits is read', () => {
  expect(parsed(signed({ validBefore: `${MAX}` })).validBefore).toBe(MAX)
})

test('other terms, another recipient and another amount are refused', () => {
  const detailOf = (value: unknown) => refusalOf(() => parsed(value)).detail
  expect(detailOf({ ...payment, accepted: { ...offer, amount: '1' } })).toMatch(/terms/)
  expect(detailOf(signed({ to: payer }))).toMatch(/another address/)
  expect(detailOf(signed({ value: '999' }))).toMatch(/another amount/)
  expect(detailOf(signed({ value: '1001' }))).toMatch(/another amount/)
})

test('a payment is valid now, for long enough and not for too long', () => {
  const now = 1_000
  const check = (validAfter: number, validBefore: number) => () =>
    checkPaymentWindow(
      { ...parsed(payment), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
      now,
      10,
    )
  expect(check(999, 1_010)).not.toThrow()
  expect(check(999, 87_400)).not.toThrow()
  expect(refusalOf(check(1_000, 1_010)).detail).toMatch(/not valid yet/)
  expect(refusalOf(check(999, 1_009)).detail).toMatch(/less than 10 seconds/)
  expect(refusalOf(check(999, 87_401)).detail).toMatch(/more than 86400 seconds/)
})
