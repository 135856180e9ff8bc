import { hash } from 'node:crypto'
import {
  consistencyProof,
  type HashAt,
  inclusionProof,
  nodesOfConsistency,
  nodesOfInclusion,
  nodesOfRoot,
  rootOf,
  type TreeNode,
} from '#domain/log/merkle.ts'
import {
  HASH_BYTES,
  hashInTile,
  subtreesOf,
  TILE_WIDTH,
  tileOf,
  widthIn,
  widthWith,
} from '#domain/log/tiles.ts'
import { listFullTiles, listHashes } from '../store/log/leaves.ts'
import type { Tx } from '../store/postgres/db.ts'

/** Kept tiles take up to 16 kB each. With 512, the upper tiles of a log of 30 million leaves stay. */
const TILES_KEPT = 512

type Place = { level: number; index: number }
type Subtrees = readonly Uint8Array[]

/** Makes proofs of one log, which has at least as many leaves as the `size` that is asked for. */
export type Prover = {
  /** The audit path of a leaf in the tree of `size` leaves. */
  inclusion(index: number, size: number): Promise<Uint8Array[]>
  /** The proof that the tree of `size` leaves begins with that of `before`. */
  consistency(before: number, size: number): Promise<Uint8Array[]>
  /** The root of the first `size` leaves. */
  rootAt(size: number): Promise<Uint8Array>
}

/** A prover that keeps the subtrees of the tiles that it read last: a complete subtree never changes. */
export function createProver(db: Tx): Prover {
  const kept = new Map<string, Subtrees>()

  function keep(name: string, subtrees: Subtrees): void {
    kept.delete(name)
    kept.set(name, subtrees)
    const [oldest] = kept.keys()
    if (kept.size > TILES_KEPT && oldest !== undefined) kept.delete(oldest)
  }

  /** The hashes of these subtrees, from tiles that are kept or read now. */
  async function read(nodes: readonly TreeNode[], size: number): Promise<HashAt> {
    const wanted = new Map<string, { place: Place; width: number }>()
    for (const node of nodes) {
      const place = tileOf(node)
      const { width = 0 } = wanted.get(nameOf(place)) ?? {}
      wanted.set(nameOf(place), { place, width: Math.max(width, widthWith(node)) })
    }
    const found = new Map<string, Subtrees>()
    const missing: Place[] = []
    for (const [name, { place, width }] of wanted) {
      const subtrees = kept.get(name)
      if (subtrees !== undefined && (subtrees[0]?.length ?? 0) >= width * HASH_BYTES)
        found.set(name, subtrees)
      else missing.push(place)
    }
    for (const { hashes, ...place } of await readTiles(db, missing, size))
      found.set(nameOf(place), subtreesOf(hashes, hashPair))
    for (const [name, subtrees] of found) keep(name, subtrees)
    return (node) => hashInTile(node, found.get(nameOf(tileOf(node))) ?? [])
  }

  return {
    inclusion: async (index, size) =>
      inclusionProof(index, size, await read(nodesOfInclusion(index, size), size)),
    consistency: async (before, size) =>
      consistencyProof(before, size, await read(nodesOfConsistency(before, size), size)),
    rootAt: async (size) => rootOf(size, await read(nodesOfRoot(size), size)),
  }
}

/** The tiles as far as the tree of `size` leaves fills them: the full ones at once, and the leaves or roots of partial ones. */
async function readTiles(
  db: Tx,
  places: readonly Place[],
  size: number,
): Promise<(Place & { hashes: Uint8Array })[]> {
  const isFull = (place: Place) => widthIn(place, size) === TILE_WIDTH
  const [full, ...partial] = await Promise.all([
    listFullTiles(db, places.filter(isFull)),
    ...places
      .filter((place) => !isFull(place))
      .map(async (place) => ({
        ...place,
        hashes: Buffer.concat(await listHashes(db, place, widthIn(place, size))),
      })),
  ])
  return [...full, ...partial]
}

const pair = Buffer.alloc(1 + 2 * HASH_BYTES, 1)
/** `nodeHash` by the native library, which gives a text faster than bytes: a tile takes hundreds of them. */
function hashPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  pair.set(left, 1)
  pair.set(right, 1 + HASH_BYTES)
  return Buffer.from(hash('sha256', pair, 'binary'), 'binary')
}

const nameOf = ({ level, index }: Place): string => `${level}/${index}`
