import { afterAll, beforeAll, expect } from 'vitest'
import { walletAccount } from '#domain/credit/credit.ts'
import { mandateRequestSha256, type Payable } from '#domain/payments/payment-reference.ts'
import { createWallet } from '../../../activities/credit/allowance.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { mandateChallenge } from '../../../activities/credit/presenting.ts'
import { presentTopUp } from '../../../activities/credit/top-ups.ts'
import { decodeCompact } from '../../../activities/keys/compact.ts'
import { type IssuedMandate, issueMandate } from '../../../activities/keys/mandate.ts'
import { readAuthorityKeyStatus } from '../../../activities/payout/authorization.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { readBalance } from '../../../activities/store/credit/postings.ts'
import { clockSeconds, transaction } from '../../../activities/store/postgres/db.ts'
import { verifies } from '../../verifies.ts'
import {
  type Challenge,
  holderProof,
  newChallenge,
  origin,
  present as presentMandate,
  treasuryHolder,
  verifyWalletMessage,
} from '../keys/treasury.ts'
import { hex, newAgent, present, quoted, refusal, startMoney } from './fixture.ts'

let deps: MoneyDeps
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ deps, stop } = await startMoney())
})
afterAll(() => stop?.())

const payableOf = ({ challenge }: Awaited<ReturnType<typeof quoted>>): Payable => ({
  id: challenge.challenge_id,
  amount_usd: challenge.amount_usd,
})
const now = async () => Math.floor(await clockSeconds(deps.db))
const ask = (payable: Payable) => mandateChallenge(deps, payable, 900)

async function mandateFor(
  challenge: Challenge,
  payable: Payable,
  cents = payable.amount_usd * 100,
): Promise<IssuedMandate> {
  return issueMandate({
    keyStatus: await readAuthorityKeyStatus(deps.authority, deps.db),
    origin,
    treasuryHolder,
    verifyWalletMessage,
    mandateId: `mdt_${hex(8)}`,
    requestSha256: mandateRequestSha256(payable),
    checkoutJwt: challenge.checkout_jwt,
    holderProof: await holderProof(challenge, 2),
    order: { kind: 'payment', cents },
  })
}

/** What a holder sends: the mandate with a key binding of this moment, and the challenge that it answers. */
async function proofOf(challenge: Challenge, payable: Payable, version: 1 | 2 = 2) {
  const { ap2Mandate } = await mandateFor(challenge, payable)
  const bound = { requestSha256: mandateRequestSha256(payable), issuedAt: await now() }
  return {
    presentation: await presentMandate(version, challenge, ap2Mandate, bound),
    challenge_token: challenge.challenge_token,
  }
}

const method = 'ap2_mandate_reference' as const

verifies(
  'money.ap2',
  'a mandate for this payment funds at once; a repeat changes nothing',
  async () => {
    const one = await quoted(deps)
    const payable = payableOf(one)
    const proof = await proofOf(await ask(payable), payable)
    const presented = { method, externalReference: '', proof }
    const rows = await Promise.allSettled([
      present(deps, one, presented),
      present(deps, one, presented),
    ])
    const [row] = rows.flatMap((settled) => (settled.status === 'fulfilled' ? [settled.value] : []))
    expect(row).toMatchObject({
      state: 'verified',
      decided_by: 'presentation',
      payer: treasuryHolder,
    })
    expect((await present(deps, one, presented)).payment_reference_id).toBe(
      row?.payment_reference_id,
    )
    expect((await findEntitlement(deps.db, one.entitlement.entitlement_id))?.state).toBe('funded')
  },
)

verifies('money.ap2', 'a mandate for another payment, amount or payout funds nothing', async () => {
  const [one, other] = [await quoted(deps), await quoted(deps)]
  const payable = payableOf(one)
  const challenge = await ask(payable)
  const foreign = { method, externalReference: '', proof: await proofOf(challenge, payable) }
  await expect(present(deps, other, foreign)).rejects.toMatchObject(
    refusal('request_digest_mismatch'),
  )
  await expect(mandateFor(challenge, payable, 10)).rejects.toMatchObject(
    refusal('authority_denied'),
  )
  const payout = await newChallenge(mandateRequestSha256(payable), await now())
  await expect(mandateFor(payout, payable)).rejects.toMatchObject(refusal('authority_denied'))
  await expect(present(deps, one, { method, externalReference: '' })).rejects.toMatchObject(
    refusal('authority_denied'),
  )
  expect((await findEntitlement(deps.db, one.entitlement.entitlement_id))?.state).toBe('pending')
})

verifies(
  'money.ap2',
  'a mandate tops a wallet up once; a repeat returns the same reference',
  async () => {
    const agentId = newAgent()
    const { wallet_id } = await transaction(deps.db, (tx) =>
      createWallet(tx, { agentId, label: 'travel' }),
    )
    const payable = { id: wallet_id, amount_usd: 120 }
    const proof = await proofOf(await ask(payable), payable)
    const input = {
      agentId,
      walletId: wallet_id,
      amountUsd: 120,
      method,
      externalReference: '',
      proof,
    }
    const first = await presentTopUp(deps, input)
    expect(first).toMatchObject({ state: 'verified', wallet_id })
    expect((await presentTopUp(deps, input)).payment_reference_id).toBe(first.payment_reference_id)
    expect(await readBalance(deps.db, walletAccount(wallet_id))).toBe(120)
    await expect(presentTopUp(deps, { ...input, agentId: newAgent() })).rejects.toMatchObject(
      refusal('not_owner'),
    )
  },
)

verifies(
  'conform.merchant',
  'checkouts of credit and of payouts name the service that sells them',
  async () => {
    const payable = payableOf(await quoted(deps))
    const merchantOf = ({ checkout_jwt }: Pick<Challenge, 'checkout_jwt'>) =>
      decodeCompact(checkout_jwt).payload['merchant']
    expect(merchantOf(await ask(payable))).toEqual({
      id: 'service-agent-rails',
      name: 'Service Agent Rails',
      website: origin,
    })
    expect(merchantOf(await newChallenge())).toEqual({
      id: 'service-payout-rail',
      name: 'Service Payout Rail',
      website: origin,
    })
  },
)
