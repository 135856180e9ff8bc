import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** EdDSA (RFC 9053 §2.2), and the RFC 9162 tree with SHA-256 (RFC 9942 §5). */
const EDDSA = -8
const RFC9162_SHA256 = 1
const [ALG, KID, VDS, VDP, INCLUSION] = [1, 4, 395, 396, -1]

/** What a COSE receipt of a log says: that the leaf is in the tree whose root is signed. */
export type CoseReceipt = {
  kid: string
  size: number
  index: number
  path: readonly Uint8Array[]
  signature: Uint8Array
}

/** The bytes that are signed for a root: the `Sig_structure` of RFC 9052 §4.4 with the root as its detached payload. */
export const coseSigned = (kid: string, root: Uint8Array): Uint8Array =>
  array([text('Signature1'), bytes(protectedHeader(kid)), bytes(new Uint8Array()), bytes(root)])

/** A COSE receipt of inclusion (RFC 9942 §5.2): a `COSE_Sign1` with tag 18 and a detached payload. */
export function coseReceipt({ kid, size, index, path, signature }: CoseReceipt): Uint8Array {
  const proof = array([integer(size), integer(index), array(path.map(bytes))])
  const proofs = map([[integer(INCLUSION), array([bytes(proof)])]])
  const unprotected = map([[integer(VDP), proofs]])
  const nothing = Uint8Array.of(0xf6)
  return concatBytes(
    head(6, 18),
    array([bytes(protectedHeader(kid)), unprotected, nothing, bytes(signature)]),
  )
}

const protectedHeader = (kid: string): Uint8Array =>
  map([
    [integer(ALG), integer(EDDSA)],
    [integer(KID), bytes(utf8ToBytes(kid))],
    [integer(VDS), integer(RFC9162_SHA256)],
  ])

/** The first bytes of a CBOR item in their shortest form (RFC 8949 §4.2.1). */
function head(major: number, value: number): Uint8Array {
  const type = major << 5
  if (value < 24) return Uint8Array.of(type | value)
  if (value < 0x100) return Uint8Array.of(type | 24, value)
  const sized = new Uint8Array(value < 0x10000 ? 3 : 9)
  const view = new DataView(sized.buffer)
  if (sized.length === 3) view.setUint16(1, value)
  else view.setBigUint64(1, BigInt(value))
  if (value < 0x10000) sized[0] = type | 25
  else if (value < 0x100000000) return concatBytes(Uint8Array.of(type | 26), sized.slice(5))
  else sized[0] = type | 27
  return sized
}

const integer = (value: number): Uint8Array => (value < 0 ? head(1, -1 - value) : head(0, value))
const bytes = (value: Uint8Array): Uint8Array => concatBytes(head(2, value.length), value)
const text = (value: string): Uint8Array =>
  concatBytes(head(3, utf8ToBytes(value).length), utf8ToBytes(value))
const array = (items: readonly Uint8Array[]): Uint8Array =>
  concatBytes(head(4, items.length), ...items)
const map = (entries: readonly (readonly [Uint8Array, Uint8Array])[]): Uint8Array =>
  concatBytes(head(5, entries.length), ...entries.flat())
