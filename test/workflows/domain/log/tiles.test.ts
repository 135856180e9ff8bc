import fc from 'fast-check'
import { expect } from 'vitest'
import {
  inclusionProof,
  leafHash,
  merkleRoot,
  nodeHash,
  rootOf,
  type TreeNode,
} from '#domain/log/merkle.ts'
import {
  entriesPath,
  entryBundle,
  hashesOf,
  hashInTile,
  parseTilePath,
  subtreesOf,
  tileOf,
  tilePath,
  widthIn,
} from '#domain/log/tiles.ts'
import { parseEntryBundle } from '../../../support/entry-bundle.ts'
import { verifies } from '../../../verifies.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

verifies('log.tiles', 'paths are those of the specification', () => {
  expect(tilePath({ level: 0, index: 0, width: 256 })).toBe('tile/0/000')
  expect(tilePath({ level: 1, index: 1234067, width: 256 })).toBe('tile/1/x001/x234/067')
  expect(tilePath({ level: 0, index: 273, width: 112 })).toBe('tile/0/273.p/112')
  expect(entriesPath({ index: 1000, width: 7 })).toBe('tile/entries/x001/000.p/7')
})

verifies('log.tiles', 'each tile has one path, and no other text is one', () => {
  const tile = fc.record({
    level: fc.integer({ min: 0, max: 6 }),
    index: fc.integer({ min: 0, max: 2 ** 44 }),
    width: fc.integer({ min: 1, max: 256 }),
  })
  fc.assert(
    fc.property(tile, (given) => {
      expect(parseTilePath(tilePath(given))).toEqual(given)
    }),
  )
  fc.assert(
    fc.property(tile, ({ index, width }) => {
      expect(parseTilePath(entriesPath({ index, width }))).toEqual({
        level: 'entries',
        index,
        width,
      })
    }),
  )
  const wrong = [
    'tile/0/0',
    'tile/00/000',
    'tile/7/000',
    'tile/0/x000/000',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/257',
    'tile/0/000.p/01',
    'tile/0/1234',
    'tile/0/x001/x000',
    'tile/0/000/',
    '/tile/0/000',
    'tile/0/../000',
    'tile/-1/000',
    'tile/entries/0',
    'tile/0/000.p/',
    'tile/0/x999/x999/x999/x999/x999/999',
  ]
  for (const path of wrong) expect(parseTilePath(path)).toBeUndefined()
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'tile/entris0123x.p') }), (text) => {
      const read = parseTilePath(text)
      if (read === undefined) return
      const again =
        read.level === 'entries' ? entriesPath(read) : tilePath({ ...read, level: read.level })
      expect(again).toBe(text)
    }),
  )
})

verifies('log.tiles', 'root and proofs come from tiles across their borders', () => {
  const binary = [Array.from({ length: 66_000 }, (_, at) => leafHash(Buffer.from(`leaf ${at}`)))]
  for (const hashes of binary) {
    const pairs = Array.from({ length: hashes.length >> 1 }, (_, at) =>
      nodeHash(hashes[at * 2]!, hashes[at * 2 + 1]!),
    )
    if (pairs.length > 0) binary.push(pairs)
  }
  const direct = ({ level, index }: TreeNode) => binary[level]![index]!
  for (const size of [1, 255, 256, 257, 511, 513, 65_535, 65_536, 65_537, 66_000]) {
    const fromTiles = (node: TreeNode) => {
      const { level, index } = tileOf(node)
      const start = index * 256
      const width = widthIn({ level, index }, size)
      return hashInTile(
        node,
        subtreesOf(Buffer.concat(binary[level * 8]!.slice(start, start + width))),
      )
    }
    expect(hex(rootOf(size, fromTiles))).toBe(hex(rootOf(size, direct)))
    if (size < 1000)
      expect(hex(rootOf(size, direct))).toBe(hex(merkleRoot(binary[0]!.slice(0, size))))
    for (const index of new Set([0, Math.floor(size / 2), size - 1]))
      expect(inclusionProof(index, size, fromTiles).map(hex)).toEqual(
        inclusionProof(index, size, direct).map(hex),
      )
  }
})

verifies('log.tiles', 'a tile that is too short gives no hash', () => {
  expect(() => hashInTile({ level: 1, index: 0 }, subtreesOf(new Uint8Array(63)))).toThrow(
    'too short',
  )
  expect(hashesOf(new Uint8Array(64))).toHaveLength(2)
})

verifies('log.tiles', 'a bundle gives back its entries, and half of one gives nothing', () => {
  const entries = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 })
  fc.assert(
    fc.property(entries, fc.nat(), (given, cut) => {
      const bundle = entryBundle(given)
      expect(parseEntryBundle(bundle)?.map(hex)).toEqual(given.map(hex))
      const half = parseEntryBundle(bundle.slice(0, cut % (bundle.length + 1)))
      if (half !== undefined) expect(given.map(hex).slice(0, half.length)).toEqual(half.map(hex))
    }),
  )
  expect(() => entryBundle([new Uint8Array(65_536)])).toThrow('65,535')
})
