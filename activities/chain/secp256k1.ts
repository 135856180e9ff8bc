import { createRequire } from 'node:module'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Hex } from 'viem'

type Bindings = Pick<typeof import('secp256k1'), 'ecdsaRecover' | 'ecdsaSign'>

/** The C library, 30 times as fast as JavaScript; undefined where the package has no build for this platform. */
export const libsecp256k1: Bindings | undefined = loadBindings()

function loadBindings(): Bindings | undefined {
  try {
    // The main module of the package would fall back to a second JavaScript curve; ours is @noble/curves.
    return createRequire(import.meta.url)('secp256k1/bindings.js')
  } catch {
    return undefined
  }
}

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

/** Signs a 32-byte digest: 65 bytes, low `s`, `v` 27 or 28. The nonce is RFC 6979's, so a digest has one signature. */
export type DigestSigner = { sign(parameters: { hash: Hex }): Promise<Hex> }

type SignDigest = (digest: Uint8Array, key: Uint8Array) => { signature: Uint8Array; recid: number }

export function digestSigner(
  privateKey: Hex,
  sign: SignDigest = libsecp256k1?.ecdsaSign ?? signInJavaScript,
): DigestSigner {
  const key = hexToBytes(privateKey.slice(2))
  return {
    sign: async ({ hash }) => {
      const { signature, recid } = sign(hexToBytes(hash.slice(2)), key)
      return `0x${bytesToHex(signature)}${recid === 0 ? '1b' : '1c'}`
    },
  }
}

/** Exported for the test that compares both implementations. */
export function signInJavaScript(
  digest: Uint8Array,
  key: Uint8Array,
): { signature: Uint8Array; recid: number } {
  const signed = secp256k1.sign(digest, key, { lowS: true })
  return { signature: signed.toCompactRawBytes(), recid: signed.recovery }
}
