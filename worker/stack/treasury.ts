import type { Hex, LocalAccount, PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createClient, type InputOf, type OutputOf } from '../../api/surfaces/client.ts'
import { presentVersion1, presentVersion2 } from '../../api/surfaces/present.ts'
import { holderProofText } from '../../workflows/domain/holder-binding.ts'
import { principalTypedData, requestSha256 } from '../../workflows/domain/principal-authorization.ts'
import type { DemoAccounts } from './accounts.ts'

export type Payout = OutputOf<'payout-create'>['payout']
export type AuthorizeTerms = { expiresAt: number; idempotencyKey: string; bindingVersion?: 1 | 2 }

/** The treasury's side of a payout, as a person or an agent beside the service would play it: holder, operator, principal. */
export type Treasury = {
  readonly holder: PrivateKeyAccount
  readonly principal: PrivateKeyAccount
  /** Asks for a challenge, has a mandate issued, presents it and signs as principal: everything that payout-authorize takes. */
  authorize(payout: Payout, terms: AuthorizeTerms): Promise<InputOf<'payout-authorize'>>
}

/** Plays the treasury with its own keys over the public API; `origin` is the service's configured base URL. */
export function openTreasury({
  baseUrl,
  origin,
  accounts,
  operator,
}: {
  baseUrl: string
  origin: string
  accounts: DemoAccounts['treasury']
  operator: string
}): Treasury {
  const client = createClient({ baseUrl, origin, operator })
  const holder = privateKeyToAccount(accounts.holder.private_key)
  const principal = privateKeyToAccount(accounts.principal.private_key)
  return {
    holder,
    principal,
    authorize: async (payout, { expiresAt, idempotencyKey, bindingVersion = 2 }) => {
      const terms = principalTermsOf(payout, expiresAt, idempotencyKey)
      const digest = requestSha256(terms)
      const { body: challenge } = await client.call('payout-challenge', {
        holder_wallet: holder.address,
        request_sha256: digest,
      })
      const proof = holderProofText({
        origin,
        holder: holder.address,
        checkoutHash: challenge.checkout_hash,
        nonce: challenge.nonce,
      })
      const { body: mandate } = await client.call('issue-mandate', {
        mode: 'issue_mandate',
        action: {
          payout: { payout_id: payout.payout_id, expires_at: expiresAt, authorize_idempotency_key: idempotencyKey },
          checkout_jwt: challenge.checkout_jwt,
          holder_proof: {
            binding_version: bindingVersion,
            holder_wallet: holder.address,
            signature: await holder.signMessage({ message: proof }),
          },
          idempotency_key: `mandate-${challenge.nonce}`,
        },
      })
      const { audience, nonce, checkout_hash: checkoutHash } = challenge
      const facts = {
        audience,
        nonce,
        requestSha256: digest,
        checkoutHash,
        mandate: mandate.ap2_mandate,
        issuedAt: Math.floor(Date.now() / 1000),
      }
      const presentation =
        bindingVersion === 1
          ? await presentVersion1(holder, facts)
          : await presentVersion2(holder, { ...facts, origin, expiresAt: challenge.expires_at })
      const principal_signature = await signPrincipal(principal, terms)
      return {
        payout_id: payout.payout_id,
        idempotency_key: idempotencyKey,
        presentation,
        challenge_token: challenge.challenge_token,
        expires_at: expiresAt,
        principal_signature,
      }
    },
  }
}

/** The terms that the principal signs for this payout (payout-and-trust.md, Principal authorization). */
export function principalTermsOf(payout: Payout, expiresAt: number, idempotencyKey: string) {
  const { payout_id: payoutId, payout_wallet: payoutWallet, recipient, amount_atomic: amountAtomic, asset } = payout
  return { payoutId, payoutWallet, recipient, amountAtomic, expiresAt, idempotencyKey, asset }
}

/** The EIP-712 principal signature over exactly these terms. */
export function signPrincipal(principal: LocalAccount, terms: ReturnType<typeof principalTermsOf>): Promise<Hex> {
  return principal.signTypedData(principalTypedData(terms))
}
