import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Hex } from 'viem'
import { libsecp256k1 } from './libsecp256k1.ts'

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
