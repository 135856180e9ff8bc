import { refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import { type PrincipalTerms, principalDigest } from '#domain/payouts/principal-authorization.ts'
import { recoverSigner } from '../chain/wallet-signature.ts'

/**
 * The EIP-712 digest of the terms, once the treasury principal's signature over it is proven; else 403 `principal_signature_invalid`.
 * The principal is an account with a key: exactly 65 bytes, low `s`, `v` 27 or 28 (payout.md, payout-authorize).
 */
export function verifyPrincipalSignature(
  terms: PrincipalTerms,
  signature: Hex,
  principal: string,
): Hex {
  const digest = principalDigest(terms)
  if (recoverSigner(digest, signature) !== principal.toLowerCase()) {
    throw refuse('principal_signature_invalid', {
      detail:
        'the signature is not the treasury principal’s over exactly this payout, expiry and idempotency key',
      next_action:
        'Have the treasury principal sign the typed data of this payout with the same expires_at and idempotency_key.',
    })
  }
  return digest
}
