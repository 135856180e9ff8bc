import { randomBytes } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { payoutId } from '#domain/core/ids.ts'
import { holderProofText } from '#domain/payouts/holder-binding.ts'
import { principalTypedData, requestSha256 } from '#domain/payouts/principal-authorization.ts'
import { challengeSigners, issueChallenge } from '../../../activities/keys/challenge.ts'
import type { KeyRings } from '../../../activities/keys/key-ring.ts'
import { issueMandate } from '../../../activities/keys/mandate.ts'
import { type ClientWallet, walletProofHeader } from '../../../api/http/client.ts'
import { presentVersion2 } from '../../../api/http/present.ts'
import { keyStatus } from '../../support/key-status.ts'
import { type PreparedCall, prepared } from './wire.ts'

/** Who signs what; the bench plays the treasury and the authority, so that nothing of it is asked for while the clock runs. */
export type Signers = {
  baseUrl: string
  keys: KeyRings
  asset: Address
  payoutWallet: Address
  holder: PrivateKeyAccount
  principal: PrivateKeyAccount
}

/** One payout of a new wallet: its three calls with everything that they carry already signed. */
export type PayoutSubject = { payoutId: string; calls: PreparedCall[] }

const KEY = 'bench'
const LIFE_S = 3600

export async function preparePayout(
  signers: Signers,
  amountUsdc = '0.000001',
): Promise<PayoutSubject> {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const id = payoutId(wallet.address, KEY)
  const call = (step: string, body: unknown) =>
    provenCall(signers.baseUrl, wallet, `payout-${step}`, body)
  const terms = {
    recipient: `0x${'b0'.repeat(20)}`,
    amount_usdc: amountUsdc,
    idempotency_key: KEY,
    memo: 'bench',
    rail_reference: 'bench',
    usage: 'synthetic',
  }
  return {
    payoutId: id,
    calls: [
      await call('create', terms),
      await call('authorize', await authorization(signers, id, terms.recipient)),
      await call('execute', { payout_id: id, idempotency_key: KEY }),
    ],
  }
}

/** A call with the wallet's fresh proof. */
export async function provenCall(
  baseUrl: string,
  wallet: ClientWallet,
  operation: string,
  body: unknown,
): Promise<PreparedCall> {
  const path = `/api/${operation}`
  const proof = await walletProofHeader({ baseUrl, wallet }, { method: 'POST', path }, body)
  return prepared(operation.replace('payout-', ''), baseUrl + path, body, {
    'x-service-wallet-proof': proof,
  })
}

async function authorization(signers: Signers, id: string, recipient: string) {
  const { baseUrl: origin, keys, holder, principal, asset, payoutWallet } = signers
  const nowSeconds = Math.floor(Date.now() / 1000)
  const expiresAt = nowSeconds + LIFE_S
  const terms = {
    payoutId: id,
    payoutWallet,
    recipient,
    amountAtomic: '1',
    expiresAt,
    idempotencyKey: KEY,
    asset,
  }
  const digest = requestSha256(terms)
  const facts = { origin, treasuryHolder: holder.address.toLowerCase(), requestSha256: digest }
  const now = keyStatus(keys, nowSeconds)
  const challenge = await issueChallenge({
    ...facts,
    ...challengeSigners(now),
    ttlSeconds: LIFE_S,
    holder: holder.address.toLowerCase(),
  })
  const { checkout_hash: checkoutHash, nonce, checkout_jwt: checkoutJwt, audience } = challenge
  const proof = holderProofText({ origin, holder: holder.address, checkoutHash, nonce })
  const { ap2Mandate: mandate } = await issueMandate({
    ...facts,
    keyStatus: now,
    mandateId: `mdt_${randomBytes(32).toString('hex')}`,
    checkoutJwt,
    holderProof: {
      bindingVersion: 2,
      holderWallet: holder.address,
      signature: (await holder.signMessage({ message: proof })) as Hex,
    },
    verifyWalletMessage: async () => true,
  })
  const binding = {
    audience,
    nonce,
    requestSha256: digest,
    checkoutHash,
    mandate,
    issuedAt: nowSeconds,
  }
  return {
    payout_id: id,
    idempotency_key: KEY,
    presentation: await presentVersion2(holder, {
      ...binding,
      origin,
      expiresAt: challenge.expires_at,
    }),
    challenge_token: challenge.challenge_token,
    expires_at: expiresAt,
    principal_signature: await principal.signTypedData(principalTypedData(terms)),
  }
}
