import { recoverMessageAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { holderProofText } from '#domain/payouts/holder-binding.ts'
import { type PrincipalTerms, requestSha256 } from '#domain/payouts/principal-authorization.ts'
import {
  challengeSigners,
  issueChallenge,
  verifyChallengeToken,
} from '../../../activities/keys/challenge.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import type { VerifyWalletMessage } from '../../../activities/keys/key-binding.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { issueMandate } from '../../../activities/keys/mandate.ts'
import type { PresentationContext } from '../../../activities/keys/presentation.ts'
import { loadTrustAnchors } from '../../../activities/keys/trust-anchors.ts'
import { presentVersion1, presentVersion2 } from '../../../api/http/present.ts'
import { active, keyStatus } from '../../support/key-status.ts'

export const origin = 'https://svc.example'
export const nowSeconds = 1_795_248_310
export const keys = keyRings(generateSigningKeys(new Date(nowSeconds * 1000)))
export const holder = privateKeyToAccount(`0x${'11'.repeat(32)}`)
export const principal = privateKeyToAccount(`0x${'22'.repeat(32)}`)
export const payoutWallet = privateKeyToAccount(`0x${'33'.repeat(32)}`)
export const treasuryHolder = holder.address.toLowerCase() as `0x${string}`
export const anchors = loadTrustAnchors({ authority: keys.authority, issuer: origin, path: '' })
/** How the keys stand now: all active. */
export const standingKeys = keyStatus(keys, nowSeconds)

export const terms: PrincipalTerms = {
  payoutId: `po_${'ab'.repeat(32)}`,
  payoutWallet: payoutWallet.address,
  recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  amountAtomic: '1250000',
  expiresAt: nowSeconds + 3600,
  idempotencyKey: 'auth-1',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
}
export const digest = requestSha256(terms)

/** viem's own recovery, as the judge of personal_sign. */
export const verifyWalletMessage: VerifyWalletMessage = async (address, message, signature) => {
  const signer = await recoverMessageAddress({ message, signature }).catch(() => '0x')
  return signer.toLowerCase() === address
}

export const challengeFacts = {
  ...challengeSigners(standingKeys),
  origin,
  ttlSeconds: 900,
  treasuryHolder,
}
export const challengeContext = {
  authorityKeys: standingKeys.verifiers('authority'),
  origin,
  nowSeconds,
  treasuryHolder,
}

export const newChallenge = (request = digest, at = nowSeconds) =>
  issueChallenge({
    ...challengeFacts,
    nowSeconds: at,
    holder: holder.address,
    requestSha256: request,
  })
export type Challenge = Awaited<ReturnType<typeof newChallenge>>

/** What a holder needs to present a mandate for a challenge. */
export const bindingOf = (challenge: Challenge, request = digest) => ({
  origin,
  audience: challenge.audience,
  nonce: challenge.nonce,
  requestSha256: request,
  checkoutHash: challenge.checkout_hash,
  expiresAt: challenge.expires_at,
  issuedAt: nowSeconds,
})

export async function holderProof(challenge: Challenge, bindingVersion: 1 | 2, signer = holder) {
  const facts = {
    origin,
    holder: holder.address,
    checkoutHash: challenge.checkout_hash,
    nonce: challenge.nonce,
  }
  const signature = await signer.signMessage({ message: holderProofText(facts) })
  return { bindingVersion, holderWallet: holder.address, signature }
}

export async function mandateRequest(challenge: Challenge, bindingVersion: 1 | 2) {
  const proof = await holderProof(challenge, bindingVersion)
  const checkoutJwt = challenge.checkout_jwt
  const facts = {
    keyStatus: standingKeys,
    origin,
    treasuryHolder,
    requestSha256: digest,
    verifyWalletMessage,
  }
  return { ...facts, mandateId: 'mdt_1', checkoutJwt, holderProof: proof }
}

/** A mandate of ours for a challenge, ending in `~`. */
export async function newMandate(challenge: Challenge, bindingVersion: 1 | 2): Promise<string> {
  return (await issueMandate(await mandateRequest(challenge, bindingVersion))).ap2Mandate
}

/** A whole valid presentation of either version. */
export function present(
  version: 1 | 2,
  challenge: Challenge,
  mandate: string,
  more: object = {},
): Promise<string> {
  const facts = { ...bindingOf(challenge), mandate, ...more }
  return version === 1 ? presentVersion1(holder, facts) : presentVersion2(holder, facts)
}

export function contextOf(challenge: Challenge, presentation: string): PresentationContext {
  return {
    presentation,
    challenge: verifyChallengeToken(challenge.challenge_token, challengeContext),
    audience: challenge.audience,
    nowSeconds,
    anchors: anchors.map((anchor) => ({ ...anchor, ...active })),
    checkoutKeys: standingKeys.verifiers('checkout'),
    requestSha256: digest,
    verifyWalletMessage,
  }
}

/** Expects a refusal with exactly this code, for `rejects.toMatchObject` and `toThrow`. */
export const refusal = (code: string) => ({ refusal: { code } })
