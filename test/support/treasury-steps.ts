import type { PrivateKeyAccount } from 'viem'
import { holderProofText } from '#domain/payouts/holder-binding.ts'
import { requestSha256 } from '#domain/payouts/principal-authorization.ts'
import { createClient, type InputOf, type OutputOf } from '../../api/http/client.ts'
import { presentVersion1, presentVersion2 } from '../../api/http/present.ts'
import { type Payout, principalTermsOf, signPrincipal } from '../../worker/stack/treasury.ts'
import { nowSeconds, type Rail } from './agent.ts'

export type Challenge = OutputOf<'payout-challenge'>
export type AuthorizeInput = InputOf<'payout-authorize'>
type Terms = { expiresAt: number; idempotencyKey: string }
/** How a presentation differs from a right one: `issuedAt` in Unix seconds, `audience` instead of the challenge's. */
export type Bend = { issuedAt?: number; audience?: string; holder?: PrivateKeyAccount }

/** The treasury's acts one by one, for tests that leave one out, repeat one or bend one. */
export function treasurySteps({ stack, treasury }: Rail) {
  const origin = stack.baseUrls[0] as string
  const { holder, principal } = treasury
  const client = createClient({ baseUrl: origin, operator: stack.accounts.operator.credential })
  const digestOf = (payout: Payout, { expiresAt, idempotencyKey }: Terms) =>
    requestSha256(principalTermsOf(payout, expiresAt, idempotencyKey))

  const challengeFor = async (payout: Payout, terms: Terms): Promise<Challenge> => {
    const asked = { holder_wallet: holder.address, request_sha256: digestOf(payout, terms) }
    return (await client.call('payout-challenge', asked)).body
  }

  /** What an operator posts to have a mandate issued for this payout and challenge. */
  const issueBody = async (
    payout: Payout,
    terms: Terms,
    challenge: Challenge,
    version: 1 | 2 = 2,
  ) => {
    const { checkout_hash: checkoutHash, nonce, checkout_jwt } = challenge
    const proof = holderProofText({ origin, holder: holder.address, checkoutHash, nonce })
    const { expiresAt: expires_at, idempotencyKey: authorize_idempotency_key } = terms
    return {
      mode: 'issue_mandate' as const,
      action: {
        payout: { payout_id: payout.payout_id, expires_at, authorize_idempotency_key },
        checkout_jwt,
        holder_proof: {
          binding_version: version,
          holder_wallet: holder.address,
          signature: await holder.signMessage({ message: proof }),
        },
        idempotency_key: `mandate-${crypto.randomUUID()}`,
      },
    }
  }
  const mandateFor = async (
    payout: Payout,
    terms: Terms,
    challenge: Challenge,
    version: 1 | 2 = 2,
  ): Promise<string> => {
    const asked = await issueBody(payout, terms, challenge, version)
    const issued = (await client.call('issue-mandate', asked)).body
    if (!('ap2_mandate' in issued)) throw new Error('the mandate is not one for a checkout')
    return issued.ap2_mandate
  }

  /** The mandate presented for a challenge, bent as asked. */
  const present = (
    mandate: string,
    challenge: Challenge,
    digest: string,
    version: 1 | 2 = 2,
    { issuedAt = nowSeconds(), audience = challenge.audience, holder: signer = holder }: Bend = {},
  ): Promise<string> => {
    const { nonce, checkout_hash: checkoutHash, expires_at: expiresAt } = challenge
    const facts = { audience, nonce, requestSha256: digest, checkoutHash, mandate, issuedAt }
    return version === 1
      ? presentVersion1(signer, facts)
      : presentVersion2(signer, { ...facts, origin, expiresAt })
  }

  /** Everything for one right authorize, and its parts. */
  const prepare = async (payout: Payout, terms: Terms, version: 1 | 2 = 2) => {
    const digest = digestOf(payout, terms)
    const challenge = await challengeFor(payout, terms)
    const mandate = await mandateFor(payout, terms, challenge, version)
    const principalTerms = principalTermsOf(payout, terms.expiresAt, terms.idempotencyKey)
    const input: AuthorizeInput = {
      payout_id: payout.payout_id,
      idempotency_key: terms.idempotencyKey,
      presentation: await present(mandate, challenge, digest, version),
      challenge_token: challenge.challenge_token,
      expires_at: terms.expiresAt,
      principal_signature: await signPrincipal(principal, principalTerms),
    }
    return { digest, challenge, mandate, principalTerms, input }
  }
  return {
    origin,
    holder,
    principal,
    client,
    digestOf,
    challengeFor,
    issueBody,
    mandateFor,
    present,
    prepare,
  }
}
