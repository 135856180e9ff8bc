import { createPrivateKey, type KeyObject } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Hex } from 'viem'

/** The private key of a wallet as Node has it. */
export function walletKeyObject(privateKey: Hex): KeyObject {
  const secret = Buffer.from(privateKey.slice(2), 'hex')
  const point = Buffer.from(secp256k1.getPublicKey(secret, false))
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString('base64url'),
  )
  const d = secret.toString('base64url')
  return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'secp256k1', x, y, d } as never })
}
