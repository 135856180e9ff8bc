import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { publicKeyToAddress } from 'viem/accounts'
import { z } from 'zod'
import type { ErrorCode } from '#domain/core/error-codes.ts'
import { refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import { limits } from '#domain/core/limits.ts'
import {
  HOLDER_BINDING_V2,
  holderBindingText,
  holderDid,
  transactionDataHash,
} from '#domain/payouts/holder-binding.ts'
import type { ChallengeClaims } from './challenge.ts'
import { type CompactParts, decodeBase64url, decodeCompact } from './compact.ts'

/** Whether a wallet, with a key or a contract, signed a message with personal_sign; rejects where it could not be asked. */
export type VerifyWalletMessage = (
  address: Hex,
  message: string,
  signature: Hex,
) => Promise<boolean>

/** The facts against which a key binding is verified; `cnf` is the mandate's, `sdHash` that of the presentation it stands behind. */
export type KeyBindingContext = {
  readonly challenge: ChallengeClaims
  readonly audience: string
  readonly nowSeconds: number
  readonly sdHash: string
  readonly cnf: unknown
  readonly verifyWalletMessage: VerifyWalletMessage
}
/** A proven key binding: its version and the wallet, lowercase. */
export type KeyBinding = { readonly version: 1 | 2; readonly holder: Hex }

const headerSchema = z.union([
  z
    .strictObject({ typ: z.literal('kb+jwt'), alg: z.literal('ES256K') })
    .transform(() => 1 as const),
  z
    .strictObject({ typ: z.literal(HOLDER_BINDING_V2), alg: z.literal('EIP191') })
    .transform(() => 2 as const),
])
const payloadSchema = z.strictObject({
  iat: z.int(),
  aud: z.string(),
  nonce: z.string(),
  sd_hash: z.string(),
  transaction_data_hashes: z.tuple([z.string()]),
  transaction_data_hashes_alg: z.literal('sha-256'),
})
// 32 bytes in base64url without padding; the last letter holds four bits, so its two low ones are zero.
const coordinate = z.string().regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/)
const keyCnfSchema = z.strictObject({
  jwk: z.looseObject({
    kty: z.literal('EC'),
    crv: z.literal('secp256k1'),
    x: coordinate,
    y: coordinate,
  }),
})
const walletCnfSchema = z.strictObject({ kid: z.string() })

const signNewBinding =
  'Have the treasury holder sign a fresh key binding over this mandate and challenge.'
const denied = (code: ErrorCode, detail: string) =>
  refuse(code, { detail, next_action: signNewBinding })
const invalid = (detail: string) => denied('key_binding_invalid', detail)

/**
 * Verifies the last component of a presentation (wire-facts §2.3 and Appendix A steps 2, 5 and 6), cheapest checks first.
 * 403 `key_binding_invalid`, `audience_mismatch` or `key_binding_expired`.
 */
export async function verifyKeyBinding(
  token: string,
  context: KeyBindingContext,
): Promise<KeyBinding> {
  const { parts, version, payload } = readKeyBinding(token)
  assertPayload(payload, context)
  const holder = context.challenge.holder.slice(
    context.challenge.holder.lastIndexOf(':') + 1,
  ) as Hex
  if (version === 1) assertKeySignature(parts, context.cnf, holder)
  else await assertWalletSignature(parts, payload, context, holder)
  return { version, holder }
}

function readKeyBinding(token: string) {
  try {
    const parts = decodeCompact(token)
    return {
      parts,
      version: headerSchema.parse(parts.header),
      payload: payloadSchema.parse(parts.payload),
    }
  } catch {
    throw invalid('the last component is not a version 1 or version 2 key binding')
  }
}

function assertPayload(
  payload: z.output<typeof payloadSchema>,
  { challenge, audience, nowSeconds, sdHash }: KeyBindingContext,
): void {
  if (payload.aud !== audience)
    throw denied('audience_mismatch', `the key binding is for another audience than ${audience}`)
  if (payload.nonce !== challenge.nonce) throw invalid('the nonce is not the challenge’s')
  if (Math.abs(nowSeconds - payload.iat) > limits.keyBindingAgeSecondsMax) {
    throw denied(
      'key_binding_expired',
      `iat is more than ${limits.keyBindingAgeSecondsMax} s from now`,
    )
  }
  if (payload.sd_hash !== sdHash)
    throw invalid('sd_hash is not that of the presented mandate and disclosures')
  const [hash] = payload.transaction_data_hashes
  if (hash !== transactionDataHash(challenge.request_sha256, challenge.checkout_hash)) {
    throw invalid('the transaction data is not the challenge’s')
  }
}

/** ES256K (RFC 8812) over the raw SHA-256 digest; a prefixed eth_sign, a high `s` or a wrong length fails. */
function assertKeySignature(
  { signingInput, signature }: CompactParts,
  cnf: unknown,
  holder: Hex,
): void {
  const confirmed = keyCnfSchema.safeParse(cnf)
  if (!confirmed.success) throw invalid('the mandate’s cnf is not a secp256k1 key')
  const point = uncompressedPoint(confirmed.data.jwk)
  if (publicKeyToAddress(`0x${bytesToHex(point)}`).toLowerCase() !== holder) {
    throw invalid('the mandate’s cnf.jwk is not the key of the challenge’s holder')
  }
  const digest = sha256(utf8ToBytes(signingInput))
  if (
    signature.length !== 64 ||
    !secp256k1.verify(signature, digest, point, { lowS: true, prehash: false, format: 'compact' })
  ) {
    throw invalid('the ES256K signature does not verify')
  }
}

function uncompressedPoint({ x, y }: { x: string; y: string }): Uint8Array {
  return concatBytes(Uint8Array.of(4), decodeBase64url(x), decodeBase64url(y))
}

/** EIP-191 over the text rebuilt from challenge and payload, never one that the caller sent. */
async function assertWalletSignature(
  { signature }: CompactParts,
  payload: z.output<typeof payloadSchema>,
  { challenge, audience, cnf, verifyWalletMessage }: KeyBindingContext,
  holder: Hex,
): Promise<void> {
  const confirmed = walletCnfSchema.safeParse(cnf)
  if (confirmed.data?.kid !== holderDid(holder)) {
    throw invalid('the mandate’s cnf.kid is not the challenge’s holder')
  }
  const text = holderBindingText({
    origin: challenge.iss,
    holder,
    audience,
    checkoutHash: challenge.checkout_hash,
    requestSha256: challenge.request_sha256,
    sdHash: payload.sd_hash,
    nonce: payload.nonce,
    issuedAt: payload.iat,
    expiresAt: challenge.exp,
  })
  const hex: Hex = `0x${bytesToHex(signature)}`
  if (!(await verifyWalletMessage(holder, text, hex)))
    throw invalid('the personal_sign signature does not verify')
}
