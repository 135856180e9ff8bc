import { createRequire } from 'node:module'
import { secp256k1 } from '@noble/curves/secp256k1.js'

/** The uncompressed public key (65 bytes) that made a compact signature (64 bytes) over a digest; throws where there is none. */
type RecoverKey = (signature: Uint8Array, recovery: 0 | 1, digest: Uint8Array) => Uint8Array

/** libsecp256k1 where the package brings a build for this platform, thirty times faster than the pure JavaScript otherwise used. */
export const recoverKey: RecoverKey = nativeRecovery() ?? recoverInJavaScript

function nativeRecovery(): RecoverKey | undefined {
  try {
    // The bindings alone: the package's own fallback is a second JavaScript curve beside @noble/curves.
    const curve = createRequire(import.meta.url)('secp256k1/bindings.js') as typeof import('secp256k1')
    return (signature, recovery, digest) => curve.ecdsaRecover(signature, recovery, digest, false)
  } catch {
    return undefined
  }
}

/** Exported so that a test can hold the two against each other. */
export function recoverInJavaScript(signature: Uint8Array, recovery: 0 | 1, digest: Uint8Array): Uint8Array {
  return secp256k1.Signature.fromCompact(signature).addRecoveryBit(recovery).recoverPublicKey(digest).toRawBytes(false)
}
