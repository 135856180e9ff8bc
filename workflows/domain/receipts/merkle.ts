import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** The hash of one leaf (RFC 9162 §2.1.1, as RFC 6962 has it): SHA-256 over 0x00 and its bytes. */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(concatBytes(LEAF, data))
}

/** The root over leaf hashes in their order; of no leaves, the hash of nothing. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves
  if (first === undefined) return sha256(new Uint8Array())
  if (leaves.length === 1) return first
  let half = 1
  while (half * 2 < leaves.length) half *= 2
  return sha256(
    concatBytes(NODE, merkleRoot(leaves.slice(0, half)), merkleRoot(leaves.slice(half))),
  )
}
