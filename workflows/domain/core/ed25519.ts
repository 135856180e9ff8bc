import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'

/** The prime of the field (RFC 7748 §4.1); a canonical encoding has a y below it. */
const P = 2n ** 255n - 19n
/** The y of the eight points of small order (RFC 7748 §7): one signature by such a key fits many texts. */
const smallOrder = new Set([
  ...[0n, 1n, P - 1n].map((y) => bytesToHex(numberToBytesLE(y, 32))),
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
])

/** Whether the 32 bytes may be an Ed25519 public key: canonical, and not of small order. That it is a point is for the verifier. */
export function isSoundPublicKey(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false
  const y = Uint8Array.from(bytes)
  // The highest bit is the sign of x.
  y[31] = (y[31] ?? 0) & 0x7f
  return bytesToNumberLE(y) < P && !smallOrder.has(bytesToHex(y))
}

/** The same of the `x` of a JWK, base64url in its one form. */
export function isSoundKeyText(x: string): boolean {
  try {
    return isSoundPublicKey(base64urlnopad.decode(x))
  } catch {
    return false
  }
}
