import fc from 'fast-check'
import { expect } from 'vitest'
import { type Frontier, frontierWidths, grow, rootOfFrontier } from '#domain/log/frontier.ts'
import { leafHash, merkleRoot } from '#domain/log/merkle.ts'
import { verifies } from '../../../verifies.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const entriesOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => Buffer.from(`entry ${from + at}`))

verifies('log.tiles', 'a tree that grows in any batches has one root and its full tiles', () => {
  const batches = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 6 })
  fc.assert(
    fc.property(batches, (counts) => {
      let [frontier, size]: [Frontier, number] = [[], 0]
      const tiles = []
      for (const count of counts) {
        const grown = grow(frontier, size, entriesOf(size, count))
        frontier = grown.frontier
        size += count
        tiles.push(...grown.tiles)
      }
      const leaves = entriesOf(0, size).map(leafHash)
      expect(hex(rootOfFrontier(frontier))).toBe(hex(merkleRoot(leaves)))
      expect(frontierWidths(size)).toEqual(
        frontier.slice(0, frontierWidths(size).length).map(({ length }) => length),
      )
      expect(tiles.map(({ level, index }) => [level, index])).toEqual(
        Array.from({ length: Math.floor(size / 256) }, (_, index) => [0, index]),
      )
      for (const { index, hashes, root } of tiles) {
        expect(hashes.map(hex)).toEqual(leaves.slice(index * 256, index * 256 + 256).map(hex))
        expect(hex(root)).toBe(hex(merkleRoot(hashes)))
      }
    }),
    { numRuns: 25 },
  )
})

verifies('log.tiles', 'the tile above 65,536 leaves holds the roots of those below', () => {
  const { frontier, tiles } = grow([], 0, entriesOf(0, 65_537))
  expect(tiles.map(({ level }) => level).filter((level) => level > 0)).toEqual([1])
  const [top] = tiles.filter(({ level }) => level === 1)
  expect(top?.index).toBe(0)
  expect(top?.hashes.map(hex)).toEqual(
    tiles.filter(({ level }) => level === 0).map(({ root }) => hex(root)),
  )
  expect(frontier.map(({ length }) => length)).toEqual([1, 0, 1])
  expect(frontierWidths(65_537)).toEqual([1, 0, 1])
})
