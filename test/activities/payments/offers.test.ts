import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import type { StrictPayment } from '#domain/payments/payment.ts'
import { encodeTransfer } from '../../../activities/chain/authorization.ts'
import { createChain } from '../../../activities/chain/client.ts'
import { preflight } from '../../../activities/chain/preflight.ts'
import { inProcessFacilitator } from '../../../activities/payments/facilitator.ts'
import {
  createOffers,
  type Offers,
  paymentRequiredHeaders,
} from '../../../activities/payments/offers.ts'
import { createSettler, type SettledRow } from '../../../activities/payments/settler.ts'
import { newWallet, type TestWallet } from '../../support/chain.ts'
import { delegate, deployContractWallet } from '../../support/contract-wallet.ts'
import { within } from '../../support/slowness.ts'
import { verifies } from '../../verifies.ts'
import { eventually, type Fixture, GAS, startFixture } from '../chain/fixture.ts'

let fixture: Fixture
let shop: TestWallet
let offers: Offers
const priced = { summary: 'Create a payout', price: 100_000n, http: { path: '/api/payout-create' } }
const baseUrl = 'https://svc.example'

beforeAll(async () => {
  fixture = await startFixture()
  shop = newWallet()
  offers = await newOffers(fixture.chain)
})
afterAll(() => fixture?.stop())

const facilitatorOf = (chain: Fixture['chain'], confirmationTimeoutMs = 1_500) =>
  inProcessFacilitator({
    reader: chain.reader,
    asset: fixture.asset,
    gasWalletQueue: fixture.newGasWalletQueue(),
    gas: GAS,
    confirmationTimeoutMs,
  })
const newOffers = (chain: Fixture['chain']) =>
  createOffers({
    baseUrl,
    asset: fixture.asset,
    payTo: shop.address,
    facilitator: facilitatorOf(chain),
    maxTimeoutSeconds: 600,
    minRemainingSeconds: 60,
  })
const newSettler = (facilitator = facilitatorOf(fixture.chain), timeoutMs = 2_000) => {
  const settings = { asset: fixture.asset, gas: fixture.gasWalletSettings().gas, transferGas: GAS }
  return createSettler({
    facilitator,
    timeoutMs,
    preflight: (authorization, signature) =>
      preflight(fixture.chain, settings, authorization, signature),
  })
}
/** A settler that waits for its receipt, also on a busy machine. */
const patientSettler = () => newSettler(facilitatorOf(fixture.chain, 40_000), 40_000)
const now = async () => Number((await fixture.client.getBlock()).timestamp)

const settled = {
  transaction_hash: `0x${'12'.repeat(32)}`,
  settled_at: new Date('2026-11-27T08:00:00Z'),
  changed_at: new Date('2026-11-27T09:00:00Z'),
}

/** A payment as the outside client makes it: our 402, its signature, our strict reading. */
async function payByClient(payer: TestWallet): Promise<StrictPayment> {
  let read: StrictPayment | undefined
  const server = createServer((request, response) => {
    read = offers.readPayment(request.headers, priced)
    const headers =
      read === undefined
        ? paymentRequiredHeaders(offers.paymentRequired(priced, 'payment is required').refusal)
        : offers.paymentResponse({ ...settled, payer: payer.address })
    response.writeHead(read === undefined ? 402 : 200, headers).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const asset = {
    network: 'eip155:8453',
    asset: fixture.asset,
    maxAmountPerPayment: '100000',
  } as const
  const client = x402Client.fromConfig({
    schemes: [{ network: 'eip155:8453', client: new ExactEvmScheme(payer.account) }],
    spendControls: { allowedAssets: [asset] },
  })
  const answer = await wrapFetchWithPayment(fetch, client)(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    { method: 'POST', body: '{}' },
  )
  await new Promise((resolve) => server.close(resolve))
  expect(answer.status).toBe(200)
  expect(decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '')).toMatchObject({
    success: true,
    payer: payer.address,
  })
  return read!
}

async function newPayer(funded = 1_000_000n): Promise<TestWallet> {
  const payer = newWallet()
  if (funded > 0n) await fixture.mint(payer.address, funded)
  return payer
}

const rowOf = (payment: StrictPayment): SettledRow => ({
  payer: payment.payer,
  pay_to: payment.payTo,
  amount_atomic: payment.value.toString(),
  valid_after: payment.validAfter.toString(),
  valid_before: payment.validBefore.toString(),
  authorization_nonce: payment.nonce,
  signature: payment.signature,
  requirements: payment.accepted,
})
const outcomeOf = ({ payer, payTo, ...rest }: StrictPayment) =>
  fixture.outcome({ from: payer, to: payTo, ...rest })

verifies('x402.offer', 'a 402 offers one exact payment in body and header', () => {
  const { refusal } = offers.paymentRequired(priced, 'payment is required', {
    debt: { payment_id: 'x' },
  })
  const terms = {
    scheme: 'exact',
    network: 'eip155:8453',
    asset: fixture.asset,
    amount: '100000',
    payTo: shop.address,
    maxTimeoutSeconds: 600,
    extra: { name: 'USD Coin', version: '2' },
  }
  expect(refusal).toMatchObject({
    code: 'payment_required',
    extra: { accepts: [terms], accepted_methods: ['x402_reference'], debt: { payment_id: 'x' } },
  })
  const required = decodePaymentRequiredHeader(
    paymentRequiredHeaders(refusal)['PAYMENT-REQUIRED'] ?? '',
  )
  expect(required).toMatchObject({
    x402Version: 2,
    error: 'payment is required',
    resource: { url: 'https://svc.example/api/payout-create' },
    accepts: [terms],
  })
})

verifies(
  'x402.paid',
  'an x402 client payment is read strictly, verified and settled once',
  async () => {
    const payer = await newPayer()
    const payment = await payByClient(payer)
    expect(payment).toMatchObject({
      payer: payer.address,
      payTo: shop.address,
      value: 100_000n,
      validAfter: expect.any(BigInt),
    })
    await offers.verify(payment, await now(), priced)
    const settlers = [patientSettler(), patientSettler()]
    const hints = await Promise.all(
      [...settlers, ...settlers].map((settler) => settler.settle(rowOf(payment))),
    )
    expect(
      await eventually(
        () => outcomeOf(payment),
        ({ kind }) => kind === 'included',
      ),
    ).toMatchObject({ kind: 'included' })
    expect(hints.some((hint) => hint.ok)).toBe(true)
    expect(await fixture.balance(payer.address)).toBe(900_000n)
    expect(await fixture.rows(`payment:${payment.paymentId}`)).toHaveLength(1)
    expect(await settlers[0]!.settle(rowOf(payment))).toEqual({ ok: true })
    expect(await fixture.rows(`payment:${payment.paymentId}`)).toHaveLength(1)
  },
)

const invalid = { refusal: { code: 'payment_invalid', extra: { accepts: expect.any(Array) } } }

test('missing money, a changed signature or a used nonce do not verify', async () => {
  const poor = await payByClient(await newPayer(0n))
  await expect(offers.verify(poor, await now(), priced)).rejects.toMatchObject(invalid)
  const payment = await payByClient(await newPayer())
  const flipped =
    `${payment.signature.slice(0, 10)}${payment.signature[10] === '0' ? '1' : '0'}${payment.signature.slice(11)}` as const
  await expect(
    offers.verify({ ...payment, signature: flipped as `0x${string}` }, await now(), priced),
  ).rejects.toMatchObject(invalid)
  await newSettler().settle(rowOf(payment))
  await eventually(
    () => outcomeOf(payment),
    ({ kind }) => kind === 'included',
  )
  await expect(offers.verify(payment, await now(), priced)).rejects.toMatchObject(invalid)
})

test('a payment that ends within the time margin does not verify', async () => {
  const payment = await payByClient(await newPayer())
  await expect(
    offers.verify(payment, Number(payment.validBefore) - 59, priced),
  ).rejects.toMatchObject(invalid)
})

test('while the chain is down a payment is neither valid nor invalid', async () => {
  const payment = await payByClient(await newPayer())
  const down = await newOffers(
    createChain({ rpcUrls: ['http://127.0.0.1:9'], confirmRpcUrls: [], timeoutMs: 500 }),
  )
  const began = Date.now()
  await expect(down.verify(payment, await now(), priced)).rejects.toMatchObject({
    refusal: { code: 'unavailable', money_moved: 'no' },
  })
  expect(Date.now() - began).toBeLessThan(within(10_000))
})

verifies(
  'x402.third-party-broadcast',
  'a payment that a third party broadcast settles without our gas',
  async () => {
    const payment = await payByClient(await newPayer())
    const { payer, payTo, ...rest } = payment
    const data = encodeTransfer({ from: payer, to: payTo, ...rest }, payment.signature)
    await fixture.client.waitForTransactionReceipt({
      hash: await fixture.client.sendTransaction({ to: fixture.asset, data }),
    })
    expect(await patientSettler().settle(rowOf(payment))).toEqual({ ok: true })
    expect(await fixture.rows(`payment:${payment.paymentId}`)).toEqual([])
    expect(await outcomeOf(payment)).toMatchObject({ kind: 'included' })
  },
)

verifies(
  'local.accounts-with-code',
  'a payment of a delegated account is taken as the token takes it',
  async () => {
    const payer = await newPayer()
    const accepts = (key: string) => deployContractWallet(fixture.client, key as `0x${string}`)
    await delegate(fixture.client, payer, await accepts(newWallet().address))
    const refused = await payByClient(payer)
    await expect(offers.verify(refused, await now(), priced)).rejects.toMatchObject(invalid)
    await delegate(fixture.client, payer, await accepts(payer.address))
    const payment = await payByClient(payer)
    await offers.verify(payment, await now(), priced)
    expect(await patientSettler().settle(rowOf(payment))).toEqual({ ok: true })
    expect(await outcomeOf(payment)).toMatchObject({ kind: 'included' })
  },
)

test('a wallet emptied after verification costs no gas and gives a reason', async () => {
  const payer = await newPayer(100_000n)
  const payment = await payByClient(payer)
  await offers.verify(payment, await now(), priced)
  const emptied = await fixture.authorize({ value: 100_000n }, payer)
  await fixture.client.waitForTransactionReceipt({
    hash: await fixture.client.sendTransaction({ to: fixture.asset, data: emptied.call.data }),
  })
  expect(await patientSettler().settle(rowOf(payment))).toEqual({
    ok: false,
    reason: `${payer.address} holds 0 of the 100000 atomic units`,
  })
  expect(await fixture.rows(`payment:${payment.paymentId}`)).toEqual([])
})

test('a failing facilitator gives a hint in bounded time, never an error', async () => {
  const payment = await payByClient(await newPayer())
  const hanging = newSettler({
    ...facilitatorOf(fixture.chain),
    settle: () => new Promise(() => undefined),
  })
  const began = Date.now()
  expect(await hanging.settle(rowOf(payment))).toEqual({
    ok: false,
    reason: 'the settlement is still under way',
  })
  expect(Date.now() - began).toBeLessThan(within(10_000))
  const failing = newSettler({
    ...facilitatorOf(fixture.chain),
    settle: () => Promise.reject(new Error('502')),
  })
  expect(await failing.settle(rowOf(payment))).toEqual({ ok: false, reason: '502' })
})

test('a process without gas wallets verifies but does not settle', async () => {
  const payment = await payByClient(await newPayer())
  const facilitator = inProcessFacilitator({
    reader: fixture.chain.reader,
    asset: fixture.asset,
    gas: GAS,
    confirmationTimeoutMs: 1_000,
  })
  expect(await newSettler(facilitator).settle(rowOf(payment))).toMatchObject({ ok: false })
  expect(await outcomeOf(payment)).toMatchObject({ kind: 'unknown', code: 'unused' })
})

test('a refusal of a payment carries the offer as well', async () => {
  const read = async () => offers.readPayment({ 'x-payment': 'e30=' }, priced)
  await expect(read()).rejects.toBeInstanceOf(DomainError)
  await expect(read()).rejects.toMatchObject(invalid)
})
