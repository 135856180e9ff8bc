import { secp256k1 } from '@noble/curves/secp256k1.js'
import { libsecp256k1 } from './libsecp256k1.ts'

/** Recovers the uncompressed public key (65 bytes) from a compact signature (64 bytes) over a digest; throws if there is none. */
export function recoverKey(signature: Uint8Array, recovery: 0 | 1, digest: Uint8Array): Uint8Array {
  if (libsecp256k1 === undefined) return recoverInJavaScript(signature, recovery, digest)
  return libsecp256k1.ecdsaRecover(signature, recovery, digest, false)
}

/** Exported for the test that compares both implementations. */
export function recoverInJavaScript(
  signature: Uint8Array,
  recovery: 0 | 1,
  digest: Uint8Array,
): Uint8Array {
  return secp256k1.Signature.fromCompact(signature)
    .addRecoveryBit(recovery)
    .recoverPublicKey(digest)
    .toRawBytes(false)
}
