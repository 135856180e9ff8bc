import { hexToBytes } from '@noble/hashes/utils.js'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { hashMessage, recoverPublicKey } from 'viem'
import { refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import { holderDid, holderProofText, sha256Base64url } from '#domain/payouts/holder-binding.ts'
import { recoverSigner } from '../chain/wallet-signature.ts'
import { type CheckoutClaims, randomText, readCheckout } from './checkout.ts'
import { encodeBase64url } from './compact.ts'
import type { VerifyWalletMessage } from './key-binding.ts'
import type { KeyStatus } from './key-status.ts'
import { MANDATE_VCT, sdHasher } from './sd-jwt.ts'

/** A holder's proof: a personal_sign signature over the five-line text of payout.md, and the binding version it asks for. */
type HolderProof = {
  readonly bindingVersion: 1 | 2
  readonly holderWallet: string
  readonly signature: Hex
}

/** What a mandate is issued from; `requestSha256` is recomputed from the created payout, `mandateId` becomes the `jti`. */
export type MandateRequest = {
  readonly keyStatus: KeyStatus
  readonly origin: string
  readonly treasuryHolder: string
  readonly mandateId: string
  readonly requestSha256: string
  readonly checkoutJwt: string
  readonly holderProof: HolderProof
  readonly verifyWalletMessage: VerifyWalletMessage
}
/** A mandate for its holder, ending in `~`; it expires with its checkout (Unix seconds). */
export type IssuedMandate = {
  readonly ap2Mandate: string
  readonly checkoutHash: string
  readonly expiresAt: number
}

type Confirmation = { jwk: { kty: 'EC'; crv: 'secp256k1'; x: string; y: string } } | { kid: string }

const denied = (detail: string) =>
  refuse('authority_denied', {
    detail,
    next_action: 'Use the checkout of a live challenge and the treasury holder’s proof over it.',
  })

/**
 * Issues the AP2 closed checkout mandate, a `dc+sd-jwt` with `checkout_jwt` selectively disclosable (wire-facts §2.4 step 2).
 * 403 `authority_denied` (checkout or holder proof), `request_digest_mismatch`; 410 `challenge_expired`.
 */
export async function issueMandate(request: MandateRequest): Promise<IssuedMandate> {
  const { keyStatus, origin, mandateId, checkoutJwt } = request
  const checkout = assertCheckout(request)
  const checkoutHash = sha256Base64url(checkoutJwt)
  const cnf = await confirmHolder(request, { checkoutHash, nonce: checkout.jti })
  const key = keyStatus.signer('authority')
  const library = new SDJwtVcInstance({
    signer: async (text) => encodeBase64url(await key.sign(text)),
    signAlg: key.alg,
    hasher: sdHasher,
    hashAlg: 'sha-256',
    saltGenerator: randomText,
  })
  const ap2Mandate = await library.issue(
    {
      iss: origin,
      vct: MANDATE_VCT,
      jti: mandateId,
      iat: keyStatus.nowSeconds,
      exp: checkout.exp,
      cnf,
      checkout_hash: checkoutHash,
      checkout_jwt: checkoutJwt,
    },
    { _sd: ['checkout_jwt'] },
    { header: { kid: key.kid } },
  )
  return { ap2Mandate, checkoutHash, expiresAt: checkout.exp }
}

function assertCheckout(request: MandateRequest): CheckoutClaims {
  const { keyStatus, requestSha256 } = request
  const checkout = ourCheckout(request)
  if (keyStatus.nowSeconds >= checkout.exp)
    throw refuse('challenge_expired', {
      detail: `the checkout expired at ${checkout.exp}`,
      next_action: 'Ask for a new challenge.',
    })
  if (checkout.request_digest.value === requestSha256) return checkout
  throw refuse('request_digest_mismatch', {
    detail: 'the checkout is for other terms',
    next_action: 'Ask for a challenge for exactly these terms.',
  })
}

function ourCheckout({ checkoutJwt, keyStatus, origin }: MandateRequest): CheckoutClaims {
  try {
    return readCheckout(checkoutJwt, {
      keys: keyStatus.verifiers('checkout'),
      origin,
    })
  } catch {
    throw denied('the checkout is not one that this service signed')
  }
}

/** The mandate's `cnf`: for version 1 the public key recovered from the proof, for version 2 the wallet's DID. */
async function confirmHolder(
  { holderProof, origin, treasuryHolder, verifyWalletMessage }: MandateRequest,
  facts: { checkoutHash: string; nonce: string },
): Promise<Confirmation> {
  const { bindingVersion, signature } = holderProof
  const holder = holderProof.holderWallet.toLowerCase() as Hex
  if (holder !== treasuryHolder.toLowerCase())
    throw denied('the holder wallet is not a configured treasury holder')
  const text = holderProofText({ origin, holder, ...facts })
  if (bindingVersion === 2) {
    if (await verifyWalletMessage(holder, text, signature)) return { kid: holderDid(holder) }
    throw denied('the holder proof does not verify')
  }
  const proof = { hash: hashMessage(text), signature }
  if (recoverSigner(proof.hash, signature) !== holder)
    throw denied('the holder proof does not recover to the holder wallet')
  const point = hexToBytes((await recoverPublicKey(proof)).slice(2))
  const coordinate = (from: number): string => encodeBase64url(point.subarray(from, from + 32))
  return { jwk: { kty: 'EC', crv: 'secp256k1', x: coordinate(1), y: coordinate(33) } }
}
