import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { leafHash, merkleRoot } from '#domain/receipts/merkle.ts'
import { verifies } from '../../../verifies.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

verifies(
  'merkle.rfc6962',
  'the roots are the reference vectors of Certificate Transparency',
  () => {
    const leaves = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ]
    const roots = [
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ]
    const hashes = leaves.map((leaf) => leafHash(Buffer.from(leaf, 'hex')))
    for (const [size, root] of roots.entries())
      expect(hex(merkleRoot(hashes.slice(0, size)))).toBe(root)
  },
)

const node = (left: Uint8Array, right: Uint8Array) =>
  createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest()

/** The audit path of a leaf, from the leaf upwards (RFC 6962 §2.1.1). */
function pathOf(index: number, leaves: Uint8Array[]): Uint8Array[] {
  if (leaves.length <= 1) return []
  const half = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)]
  return index < half
    ? [...pathOf(index, left), merkleRoot(right)]
    : [...pathOf(index - half, right), merkleRoot(left)]
}

/** Climbs an audit path (RFC 9162 §2.1.3.2). */
function climb(index: number, size: number, leaf: Uint8Array, path: Uint8Array[]): Uint8Array {
  let [fn, sn, root] = [index, size - 1, leaf]
  for (const sibling of path) {
    if (fn % 2 === 1 || fn === sn) {
      root = node(sibling, root)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1]
    } else root = node(root, sibling)
    ;[fn, sn] = [fn >> 1, sn >> 1]
  }
  expect(sn).toBe(0)
  return root
}

verifies('merkle.rfc6962', 'only the proven leaf reaches the root by its audit path', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 70 }),
      fc.nat(),
      (data, at) => {
        const leaves = data.map(leafHash)
        const index = at % leaves.length
        const path = pathOf(index, leaves)
        const root = hex(merkleRoot(leaves))
        expect(hex(climb(index, leaves.length, leaves[index]!, path))).toBe(root)
        expect(hex(climb(index, leaves.length, leafHash(Buffer.from('another')), path))).not.toBe(
          root,
        )
      },
    ),
  )
})
