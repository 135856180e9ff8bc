import { parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect } from 'vitest'
import { walletAccount } from '#domain/credit/credit.ts'
import { payerText } from '#domain/payments/payment-reference.ts'
import { preflight } from '../../../activities/chain/preflight.ts'
import { createWallet } from '../../../activities/credit/allowance.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { offeredAs } from '../../../activities/credit/presenting.ts'
import { presentTopUp } from '../../../activities/credit/top-ups.ts'
import { verifyReference } from '../../../activities/credit/verify-reference.ts'
import { inProcessFacilitator } from '../../../activities/payments/facilitator.ts'
import { createPaymentSteps } from '../../../activities/payments/payment.ts'
import { createSettler } from '../../../activities/payments/settler.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { readBalance } from '../../../activities/store/credit/postings.ts'
import { findChallenge } from '../../../activities/store/payments/challenges.ts'
import type { ReferenceRow } from '../../../activities/store/payments/payment-references.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import {
  explainReferences,
  readPayments,
} from '../../../activities/store/reconciliation/findings.ts'
import { newWallet, type TestWallet } from '../../support/chain.ts'
import { isLate } from '../../support/late.ts'
import { base64, signPayment } from '../../support/payments.ts'
import { verifies } from '../../verifies.ts'
import { eventually, type Fixture, GAS } from '../chain/fixture.ts'
import { origin } from '../keys/treasury.ts'
import { mandated, presenting } from './ap2-fixture.ts'
import { hex, newAgent, payTo, present, quoted, refusal, startMoneyOnChain } from './fixture.ts'

let fixture: Fixture
let deps: MoneyDeps
let stop: () => Promise<void>
let payer: TestWallet
beforeAll(async () => {
  ;({ fixture, deps, stop } = await startMoneyOnChain())
  payer = newWallet()
  await fixture.client.setBalance({ address: payer.address, value: parseEther('1') })
  await fixture.mint(payer.address, 10_000_000_000n)
})
afterAll(() => stop?.())

type Quoted = Awaited<ReturnType<typeof quoted>>
const abi = parseAbi(['function transfer(address to, uint256 value) returns (bool)'])
const transfer = (to: `0x${string}`, value: bigint) =>
  fixture.client.writeContract({
    account: payer.account,
    address: fixture.asset,
    abi,
    functionName: 'transfer',
    args: [to, value],
  })
const stablecoin = async (
  { challenge, agentId }: Quoted,
  transactionHash: string,
  signer = payer,
) => {
  const text = payerText({ origin, paysFor: challenge.challenge_id, transactionHash })
  const proof = { signature: await signer.account.signMessage({ message: text }) }
  const method = 'stablecoin_reference' as const
  return present(
    deps,
    { challenge, agentId },
    { method, externalReference: transactionHash, payer: payer.address, proof },
  )
}
const decided = ({ payment_reference_id }: ReferenceRow) =>
  eventually(
    () => verifyReference(deps, payment_reference_id),
    ({ state }) => state !== 'presented' && state !== 'pending',
    20_000,
  )
const states = async ({ challenge, entitlement }: Quoted) => [
  (await findChallenge(deps.db, challenge.challenge_id))?.state,
  (await findEntitlement(deps.db, entitlement.entitlement_id))?.state,
]

verifies(
  'money.stablecoin',
  'a transfer signed for the challenge funds once its block is final',
  async () => {
    const one = await quoted(deps)
    const hash = await transfer(payTo, 107_000_000n)
    const reference = await stablecoin(one, hash)
    // The same agent gets the same reference, another agent is refused.
    expect((await stablecoin(one, hash)).payment_reference_id).toBe(reference.payment_reference_id)
    const row = await decided(reference)
    expect(row).toMatchObject({ state: 'verified', decided_by: 'chain' })
    expect(await states(one)).toEqual(['settled', 'funded'])
    const explained = {
      from: payer.address,
      to: payTo,
      amountAtomic: '107000000',
      transactionHash: hash,
    }
    expect(await explainReferences(deps.db, payTo, [hash])).toMatchObject([explained])
    await expect(stablecoin(await quoted(deps), hash)).rejects.toMatchObject(
      refusal('reference_already_used'),
    )
  },
)

verifies('money.stablecoin', 'a payment of another wallet is refused', async () => {
  const one = await quoted(deps)
  const hash = await transfer(payTo, 107_000_000n)
  await expect(stablecoin(one, hash, newWallet())).rejects.toMatchObject(refusal('proof_invalid'))
  expect(await states(one)).toEqual(['open', 'pending'])
})

verifies('money.stablecoin', 'a wrong or reverted transfer is rejected when final', async () => {
  const reverted = await fixture.client.sendTransaction({
    account: payer.account,
    to: fixture.asset,
    data: '0xdeadbeef',
    gas: 100_000n,
  })
  const hashes = [
    reverted,
    await transfer(payTo, 106_000_000n),
    await transfer(newWallet().address, 107_000_000n),
  ]
  for (const hash of hashes) {
    const one = await quoted(deps)
    expect(await decided(await stablecoin(one, hash))).toMatchObject({ state: 'rejected' })
    expect(await states(one)).toEqual(['open', 'pending'])
  }
})

verifies('money.stablecoin', 'an unknown transaction stays pending', async () => {
  const one = await quoted(deps)
  const reference = await stablecoin(one, `0x${hex(32)}`)
  expect(await verifyReference(deps, reference.payment_reference_id)).toMatchObject({
    state: 'pending',
  })
  expect(await states(one)).toEqual(['pending', 'pending'])
})

const x402 = async (of: { amount_usd: number }) => {
  const offer = deps.offers.requirements(offeredAs(of))
  const service = { asset: fixture.asset, service: { payTo: { address: payTo } } } as Parameters<
    typeof signPayment
  >[0]
  const payment = await signPayment(service, payer, { value: offer.amount })
  return base64(JSON.stringify({ ...payment, accepted: offer }))
}
const steps = () => {
  const { reader } = fixture.chain
  const gasWalletQueue = fixture.newGasWalletQueue()
  const facilitator = inProcessFacilitator({
    reader,
    asset: fixture.asset,
    gasWalletQueue,
    gas: GAS,
    confirmationTimeoutMs: 1_500,
  })
  const looks = { asset: fixture.asset, gas: fixture.gasWalletSettings().gas, transferGas: GAS }
  const settler = createSettler({
    facilitator,
    preflight: (a, signature) => preflight(fixture.chain, looks, a, signature),
  })
  return createPaymentSteps({
    db: fixture.db,
    chain: fixture.chain,
    settler,
    findOutcome: (authorization) => fixture.outcome(authorization),
    confirmWindowMs: 0,
  })
}

verifies(
  'money.x402',
  'a signed payment is claimed, settled by its steps, and then funds',
  async () => {
    const one = await quoted(deps)
    const presented = {
      method: 'x402_reference' as const,
      externalReference: '',
      proof: { payment: await x402(one.challenge) },
    }
    const [reference, again] = await Promise.all([
      present(deps, one, presented),
      present(deps, one, presented),
    ])
    expect(again.payment_reference_id).toBe(reference.payment_reference_id)
    const paymentId = reference.external_reference
    expect(await isLate(deps.db, paymentId, 0)).toBe(true)
    expect(await verifyReference(deps, reference.payment_reference_id)).toMatchObject({
      state: 'pending',
    })
    const { submitPayment, confirmPayment } = steps()
    await submitPayment(paymentId)
    await eventually(
      () => confirmPayment(paymentId),
      ({ finished }) => finished,
      20_000,
    )
    expect(await decided(reference)).toMatchObject({ state: 'verified', decided_by: 'payment' })
    expect(await states(one)).toEqual(['settled', 'funded'])
    expect(await fixture.balance(payTo)).toBeGreaterThanOrEqual(107_000_000n)
    const [found] = await readPayments(deps.db, [paymentId])
    expect(found?.calls).toEqual([
      { operation: 'payment reference', grant: 'used', answer: 'final', funding: 'payment' },
    ])

    // The same transfer is no stablecoin reference: it was counted.
    const other = await quoted(deps)
    const paid = await fixture.db
      .selectFrom('payments')
      .selectAll()
      .where('payment_id', '=', paymentId)
      .executeTakeFirstOrThrow()
    const twice = await decided(await stablecoin(other, paid.transaction_hash ?? ''))
    expect(twice).toMatchObject({
      state: 'rejected',
      reason: expect.stringContaining('x402_reference'),
    })
  },
)

verifies(
  'money.x402',
  'a payment of another amount is refused before anything is stored',
  async () => {
    const [one, pro] = [await quoted(deps), await quoted(deps, undefined, { tier: 'pro' })]
    const proof = { payment: await x402(one.challenge) }
    await expect(
      present(deps, pro, { method: 'x402_reference', externalReference: '', proof }),
    ).rejects.toMatchObject(refusal('payment_invalid'))
    expect(await states(pro)).toEqual(['open', 'pending'])
  },
)

verifies(
  'wallet.http.terms',
  'a signed payment tops a wallet up once; a repeat changes nothing',
  async () => {
    const agentId = newAgent()
    const { wallet_id } = await transaction(deps.db, (tx) =>
      createWallet(tx, { agentId, label: '' }),
    )
    const proof = { payment: await x402({ amount_usd: 120 }) }
    const method = 'x402_reference' as const
    const input = {
      agentId,
      walletId: wallet_id,
      amountUsd: 120,
      method,
      externalReference: '',
      proof,
    }
    const first = await presentTopUp(deps, input)
    const { submitPayment, confirmPayment } = steps()
    await submitPayment(first.external_reference)
    await eventually(
      () => confirmPayment(first.external_reference),
      ({ finished }) => finished,
      20_000,
    )
    expect(await decided(first)).toMatchObject({ state: 'verified', wallet_id })
    // What is settled does not verify any more: it is found by its name instead.
    expect(await presentTopUp(deps, input)).toMatchObject({
      payment_reference_id: first.payment_reference_id,
      state: 'verified',
    })
    expect(await readBalance(deps.db, walletAccount(wallet_id))).toBe(120)
  },
)

verifies(
  'ap2.present',
  'a mandate pays by the signed payment of the address that it names',
  async () => {
    const by = await mandated(deps)
    const instrument = (id: string) => ({ payment_instrument: { id, type: 'x402' } })
    const signed = async (id: string) => {
      const { one, input } = await presenting(deps, by, instrument(id))
      const proof = { ...input.proof, payment: await x402(one.challenge) }
      return { one, input, pay: () => present(deps, one, { ...input, proof }) }
    }
    const foreign = await signed(newWallet().address)
    await expect(foreign.pay()).rejects.toMatchObject(refusal('authority_denied'))
    const unpaid = await presenting(deps, by, instrument(payer.address))
    await expect(unpaid.pay()).rejects.toMatchObject(refusal('invalid_request'))

    const { one, pay } = await signed(payer.address)
    const [reference, again] = await Promise.all([pay(), pay()])
    expect(again.payment_reference_id).toBe(reference.payment_reference_id)
    expect(reference).toMatchObject({ method: 'ap2_mandate_reference', payer: payer.address })
    expect(await verifyReference(deps, reference.payment_reference_id)).toMatchObject({
      state: 'pending',
      reason: 'the payment is not final on chain',
    })
    expect(await states(one)).toEqual(['pending', 'pending'])
    const { submitPayment, confirmPayment } = steps()
    await submitPayment(reference.external_reference)
    await eventually(
      () => confirmPayment(reference.external_reference),
      ({ finished }) => finished,
      20_000,
    )
    expect(await decided(reference)).toMatchObject({ state: 'verified', decided_by: 'payment' })
    expect(await states(one)).toEqual(['settled', 'funded'])
    const spent = await deps.db
      .selectFrom('ap2_payments')
      .select(['amount_minor', 'instrument_type'])
      .where('payment_reference_id', '=', reference.payment_reference_id)
      .execute()
    expect(spent).toEqual([{ amount_minor: '4900', instrument_type: 'x402' }])
    expect(await readBalance(deps.db, walletAccount(by.wallet_id))).toBe(500)
  },
)
