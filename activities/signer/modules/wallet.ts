import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Hex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { recoverKey } from '../../chain/secp256k1.ts'
import type { WalletKey } from '../open.ts'
import type { ModuleKey, PublicPoint } from './module.ts'

/** The wallet of a secp256k1 key in a module. Each signature has the low `s` that chains take, and recovers to the key. */
export function moduleWallet(key: ModuleKey): WalletKey {
  const point = pointOf(key.publicJwk)
  const address = publicKeyToAddress(`0x${bytesToHex(point)}`).toLowerCase() as Hex
  return {
    address,
    sign: async ({ hash }) => {
      const digest = hexToBytes(hash.slice(2))
      const signature = withLowS(await key.sign(digest))
      const recovery = ([0, 1] as const).find((id) => isKeyOf(point, { signature, id, digest }))
      if (recovery === undefined)
        throw new Error(`the module answered with no signature of ${address}`)
      return `0x${bytesToHex(signature)}${recovery === 0 ? '1b' : '1c'}`
    },
  }
}

/** The uncompressed point, 65 bytes. */
function pointOf({ x, y = '' }: PublicPoint): Uint8Array {
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}

const withLowS = (compact: Uint8Array): Uint8Array =>
  secp256k1.Signature.fromCompact(compact).normalizeS().toCompactRawBytes()

type Recovered = { signature: Uint8Array; id: 0 | 1; digest: Uint8Array }

function isKeyOf(point: Uint8Array, { signature, id, digest }: Recovered): boolean {
  try {
    return Buffer.compare(recoverKey(signature, id, digest), point) === 0
  } catch {
    return false
  }
}
