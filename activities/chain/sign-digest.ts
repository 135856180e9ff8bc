import { createRequire } from 'node:module'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Hex } from 'viem'

/** Signs a 32-byte digest as it stands: 65 bytes, low `s`, `v` 27 or 28; the nonce is RFC 6979's, so one digest has one signature. */
export type DigestSigner = { sign(parameters: { hash: Hex }): Promise<Hex> }

type SignDigest = (digest: Uint8Array, key: Uint8Array) => { signature: Uint8Array; recid: number }

/** libsecp256k1 where the package brings a build for this platform, as in recover-key.ts. */
const signDigest: SignDigest = nativeSigning() ?? signInJavaScript

export function digestSigner(privateKey: Hex, sign: SignDigest = signDigest): DigestSigner {
  const key = hexToBytes(privateKey.slice(2))
  return {
    sign: async ({ hash }) => {
      const { signature, recid } = sign(hexToBytes(hash.slice(2)), key)
      return `0x${bytesToHex(signature)}${recid === 0 ? '1b' : '1c'}`
    },
  }
}

function nativeSigning(): SignDigest | undefined {
  try {
    const curve = createRequire(import.meta.url)('secp256k1/bindings.js') as typeof import('secp256k1')
    return (digest, key) => curve.ecdsaSign(digest, key)
  } catch {
    return undefined
  }
}

/** Exported so that a test can hold the two against each other. */
export function signInJavaScript(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number } {
  const signed = secp256k1.sign(digest, key, { lowS: true })
  return { signature: signed.toCompactRawBytes(), recid: signed.recovery }
}
