import { refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import { limits } from '#domain/core/limits.ts'
import { sha256Base64url } from '#domain/payouts/holder-binding.ts'
import type { ChallengeClaims } from './challenge.ts'
import { type CheckoutClaims, readCheckout } from './checkout.ts'
import { type VerifyWalletMessage, verifyKeyBinding } from './key-binding.ts'
import type { AnchorWithTimes, KeyWithTimes } from './key-status.ts'
import { type MandateClaims, verifyMandate } from './sd-jwt.ts'

/** The facts against which a presentation is verified; `challenge` is already verified, `requestSha256` recomputed from the stored payout. */
export type PresentationContext = {
  readonly presentation: string
  readonly challenge: ChallengeClaims
  readonly audience: string
  readonly nowSeconds: number
  readonly anchors: readonly AnchorWithTimes[]
  readonly checkoutKeys: readonly KeyWithTimes[]
  readonly requestSha256: string
  readonly verifyWalletMessage: VerifyWalletMessage
  /** Throws 409 when a proven presentation was used before; asked before the terms are compared, so that a reuse is called one. */
  readonly assertUnused?: (
    proven: Pick<Bound, 'mandateIssuer' | 'mandateJti' | 'kbNonce'>,
  ) => Promise<void>
}

/** What a verified presentation is bound to; `mandateRef` is the hash of the mandate with its disclosures, for the receipt. */
export type Bound = {
  readonly version: 1 | 2
  readonly holder: Hex
  readonly mandateIssuer: string
  readonly mandateJti: string
  readonly kbNonce: string
  readonly checkoutHash: string
  readonly requestSha256: string
  readonly mandateRef: string
}

const invalid = (detail: string) =>
  refuse('mandate_invalid', {
    detail,
    next_action:
      'Present the mandate that was issued for this challenge, followed by its key binding.',
  })

/**
 * The one verifier of AP2 presentations (payout.md, payout-authorize; wire-facts Appendix A): mandate, key binding, checkout.
 * Reads and writes nothing; each refusal has its own code, those of `verifyMandate` and `verifyKeyBinding` among them,
 * then 403 `request_digest_mismatch` and 410 `challenge_expired`.
 */
export async function verifyPresentation(context: PresentationContext): Promise<Bound> {
  const { sdPart, keyBinding } = splitPresentation(context.presentation)
  const mandate = await verifyMandate(sdPart, context)
  const sdHash = sha256Base64url(sdPart)
  const { version, holder } = await verifyKeyBinding(keyBinding, {
    ...context,
    sdHash,
    cnf: mandate.cnf,
  })
  const proven = {
    mandateIssuer: mandate.iss,
    mandateJti: mandate.jti,
    kbNonce: context.challenge.nonce,
  }
  await context.assertUnused?.(proven)
  assertCheckout(mandate, context)
  return {
    version,
    holder,
    ...proven,
    checkoutHash: mandate.checkout_hash,
    requestSha256: context.requestSha256,
    mandateRef: sdHash,
  }
}

/** `<jwt>~<disclosure>~…~<key binding>`, cut behind the last `~`. */
function splitPresentation(presentation: string): { sdPart: string; keyBinding: string } {
  if (presentation.length > limits.presentationCharsMax)
    throw invalid('the presentation is too long')
  const cut = presentation.lastIndexOf('~') + 1
  if (cut === 0) throw invalid('it is not a presentation: it has no ~')
  const keyBinding = presentation.slice(cut)
  if (keyBinding === '') {
    throw refuse('key_binding_missing', {
      detail: 'nothing follows the last ~',
      next_action: 'Append the treasury holder’s key binding.',
    })
  }
  return { sdPart: presentation.slice(0, cut), keyBinding }
}

function assertCheckout(mandate: MandateClaims, context: PresentationContext): void {
  const { challenge, nowSeconds, requestSha256 } = context
  const checkout = disclosedCheckout(mandate, context)
  const committed = checkout.request_digest.value
  if (committed !== requestSha256 || challenge.request_sha256 !== requestSha256) {
    throw refuse('request_digest_mismatch', {
      detail:
        'the checkout commits to other terms than this payout with this expires_at and idempotency_key',
      next_action: 'Ask for a challenge for exactly these terms.',
    })
  }
  if (mandate.checkout_hash !== challenge.checkout_hash)
    throw invalid('it is for the checkout of another challenge')
  if (nowSeconds >= checkout.exp)
    throw refuse('challenge_expired', {
      detail: 'the checkout has expired',
      next_action: 'Ask for a new challenge.',
    })
}

function disclosedCheckout(
  mandate: MandateClaims,
  { checkoutKeys, challenge }: PresentationContext,
): CheckoutClaims {
  if (sha256Base64url(mandate.checkout_jwt) !== mandate.checkout_hash)
    throw invalid('checkout_hash is not that of checkout_jwt')
  try {
    return readCheckout(mandate.checkout_jwt, {
      keys: checkoutKeys,
      origin: challenge.iss,
    })
  } catch {
    throw invalid('the disclosed checkout is not one that this service signed')
  }
}
