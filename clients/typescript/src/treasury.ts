import type { Hex, LocalAccount } from 'viem'
import type { Client, InputOf, OutputOf } from '../../../api/http/client.ts'
import { type DigestSigner, presentVersion1, presentVersion2 } from '../../../api/http/present.ts'
import { holderProofText } from '../../../workflows/domain/payouts/holder-binding.ts'
import {
  principalTypedData,
  requestSha256,
} from '../../../workflows/domain/payouts/principal-authorization.ts'

export type Payout = OutputOf<'payout-create'>['payout']
export type AuthorizeTerms = { expiresAt: number; idempotencyKey: string; bindingVersion?: 1 | 2 }

/** Who may release the principal: the holder of the mandate, the principal, and a client with an operator's credential. */
export type TreasuryParties = {
  readonly origin: string
  readonly holder: LocalAccount & DigestSigner
  readonly principal: LocalAccount
  readonly operator: Client
}

/**
 * The treasury's side of a payout: asks for a challenge, has a mandate issued for exactly this payout, presents it, and signs
 * as principal. The answer is all that `payout-authorize` takes.
 */
export async function authorizePayout(
  { origin, holder, principal, operator }: TreasuryParties,
  payout: Payout,
  { expiresAt, idempotencyKey, bindingVersion = 2 }: AuthorizeTerms,
): Promise<InputOf<'payout-authorize'>> {
  const terms = principalTermsOf(payout, expiresAt, idempotencyKey)
  const digest = requestSha256(terms)
  const asked = { holder_wallet: holder.address, request_sha256: digest }
  const { body: challenge } = await operator.call('payout-challenge', asked)
  const { audience, nonce, checkout_hash: checkoutHash } = challenge
  const proof = holderProofText({ origin, holder: holder.address, checkoutHash, nonce })
  const { body: issued } = await operator.call('issue-mandate', {
    mode: 'issue_mandate',
    action: {
      payout: {
        payout_id: payout.payout_id,
        expires_at: expiresAt,
        authorize_idempotency_key: idempotencyKey,
      },
      checkout_jwt: challenge.checkout_jwt,
      holder_proof: {
        binding_version: bindingVersion,
        holder_wallet: holder.address,
        signature: await holder.signMessage({ message: proof }),
      },
      idempotency_key: `mandate-${nonce}`,
    },
  })
  if (!('ap2_mandate' in issued)) throw new TypeError('the mandate is not one for a checkout')
  const mandate = issued.ap2_mandate
  const issuedAt = Math.floor(Date.now() / 1000)
  const facts = { audience, nonce, checkoutHash, mandate, requestSha256: digest, issuedAt }
  const presentation =
    bindingVersion === 1
      ? await presentVersion1(holder, facts)
      : await presentVersion2(holder, { ...facts, origin, expiresAt: challenge.expires_at })
  return {
    payout_id: payout.payout_id,
    idempotency_key: idempotencyKey,
    presentation,
    challenge_token: challenge.challenge_token,
    expires_at: expiresAt,
    principal_signature: await signPrincipal(principal, terms),
  }
}

/** The terms that the principal signs for this payout (payout-and-trust.md, Principal authorization). */
export function principalTermsOf(payout: Payout, expiresAt: number, idempotencyKey: string) {
  const {
    payout_id: payoutId,
    payout_wallet: payoutWallet,
    recipient,
    amount_atomic: amountAtomic,
    asset,
  } = payout
  return { payoutId, payoutWallet, recipient, amountAtomic, expiresAt, idempotencyKey, asset }
}

/** The EIP-712 principal signature over exactly these terms. */
export function signPrincipal(
  principal: LocalAccount,
  terms: ReturnType<typeof principalTermsOf>,
): Promise<Hex> {
  return principal.signTypedData(principalTypedData(terms))
}
