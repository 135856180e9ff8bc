import fc from 'fast-check'
import { expect } from 'vitest'
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  merkleRoot,
  nodesOfConsistency,
  nodesOfInclusion,
  nodesOfRoot,
  rootOf,
  type TreeNode,
  verifyConsistency,
  verifyInclusion,
} from '#domain/log/merkle.ts'
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

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => leafHash(Buffer.from(`leaf ${at}`)))

/** The hash of a complete subtree by the definition of the tree. */
const inTree =
  (leaves: Uint8Array[]) =>
  ({ level, index }: TreeNode) =>
    merkleRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level))

/** Changes one bit of one of the byte strings. */
const flipped = (path: Uint8Array[], at: number, bit: number) =>
  path.map((hash, place) => {
    const copy = Uint8Array.from(hash)
    if (place === at % path.length) copy[bit >> 3]! ^= 1 << (bit & 7)
    return copy
  })

const sizes = fc.integer({ min: 1, max: 300 })
const bits = fc.integer({ min: 0, max: 255 })

verifies('log.merkle', 'every leaf of every tree up to 70 is proven by its path alone', () => {
  const all = leavesOf(71)
  for (let size = 1; size <= 70; size++) {
    const leaves = all.slice(0, size)
    const root = merkleRoot(leaves)
    expect(hex(rootOf(size, inTree(leaves)))).toBe(hex(root))
    for (let index = 0; index < size; index++) {
      const path = inclusionProof(index, size, inTree(leaves))
      expect(verifyInclusion({ index, size, leaf: all[index]!, path }, root)).toBe(true)
      expect(verifyInclusion({ index, size, leaf: all[index + 1]!, path }, root)).toBe(false)
      expect(verifyInclusion({ index: index + 1, size, leaf: all[index]!, path }, root)).toBe(false)
    }
  }
})

verifies('log.merkle', 'every tree up to 70 is proven to begin with every smaller one', () => {
  const all = leavesOf(70)
  const heads = Array.from({ length: 71 }, (_, size) => ({
    size,
    root: merkleRoot(all.slice(0, size)),
  }))
  const other = { ...heads[0]!, root: leafHash(Buffer.from('other')) }
  for (const after of heads)
    for (const before of heads.slice(0, after.size + 1)) {
      const path = consistencyProof(before.size, after.size, inTree(all))
      expect(verifyConsistency(before, after, path)).toBe(true)
      expect(verifyConsistency({ ...before, root: other.root }, after, path)).toBe(false)
      expect(verifyConsistency(before, after, [...path, other.root])).toBe(false)
      if (before.size > 0)
        expect(verifyConsistency(before, { ...after, root: other.root }, path)).toBe(false)
    }
})

verifies('log.merkle', 'one changed bit, a missing or a further hash refuses an inclusion', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), fc.nat(), bits, (size, place, at, bit) => {
      const leaves = leavesOf(size)
      const index = place % size
      const root = merkleRoot(leaves)
      const path = inclusionProof(index, size, inTree(leaves))
      const given = { index, size, leaf: leaves[index]!, path }
      expect(verifyInclusion({ ...given, path: [...path, root] }, root)).toBe(false)
      expect(verifyInclusion(given, flipped([root], 0, bit)[0]!)).toBe(false)
      if (path.length === 0) return
      expect(verifyInclusion({ ...given, path: path.slice(1) }, root)).toBe(false)
      expect(verifyInclusion({ ...given, path: flipped(path, at, bit) }, root)).toBe(false)
      expect(verifyInclusion({ ...given, path: [path[0]!.slice(1), ...path.slice(1)] }, root)).toBe(
        false,
      )
    }),
  )
})

verifies('log.merkle', 'one changed bit or a missing hash refuses a consistency', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), fc.nat(), bits, (size, place, at, bit) => {
      const leaves = leavesOf(size)
      const before = 1 + (place % size)
      const heads = [before, size].map((count) => ({
        size: count,
        root: merkleRoot(leaves.slice(0, count)),
      })) as [{ size: number; root: Uint8Array }, { size: number; root: Uint8Array }]
      const path = consistencyProof(before, size, inTree(leaves))
      expect(verifyConsistency(...heads, path)).toBe(true)
      if (path.length === 0) return
      expect(verifyConsistency(...heads, path.slice(1))).toBe(false)
      expect(verifyConsistency(...heads, flipped(path, at, bit))).toBe(false)
    }),
  )
})

verifies('log.merkle', 'numbers and lengths outside the tree are refused', () => {
  const root = leafHash(Buffer.from('one'))
  const bad = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]
  for (const number of bad) {
    expect(verifyInclusion({ index: number, size: 1, leaf: root, path: [] }, root)).toBe(false)
    expect(verifyInclusion({ index: 0, size: number, leaf: root, path: [] }, root)).toBe(false)
    expect(verifyConsistency({ size: number, root }, { size: 1, root }, [])).toBe(false)
    expect(verifyConsistency({ size: 1, root }, { size: number, root }, [])).toBe(false)
  }
  expect(verifyInclusion({ index: 0, size: 0, leaf: root, path: [] }, root)).toBe(false)
  expect(verifyConsistency({ size: 2, root }, { size: 1, root }, [])).toBe(false)
})

verifies('log.merkle', 'a proof at ten million leaves asks for few subtrees', () => {
  const size = 10_000_019
  fc.assert(
    fc.property(fc.integer({ min: 0, max: size - 1 }), (index) => {
      const nodes = [...nodesOfInclusion(index, size), ...nodesOfConsistency(index + 1, size)]
      expect(nodes.length).toBeLessThanOrEqual(120)
      for (const { level, index: at } of [...nodes, ...nodesOfRoot(size)])
        expect((at + 1) * 2 ** level).toBeLessThanOrEqual(size)
    }),
  )
})
