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
import { hashInTile, TILE_WIDTH, tileOf, widthIn } from '#domain/log/tiles.ts'
import { listFullTiles, listHashes } from '../store/log/leaves.ts'
import type { Tx } from '../store/postgres/db.ts'

/** The audit path of a leaf in the tree of `size` leaves; the log has at least as many. */
export async function proveInclusion(tx: Tx, index: number, size: number): Promise<Uint8Array[]> {
  return inclusionProof(index, size, await readNodes(tx, nodesOfInclusion(index, size), size))
}

/** The proof that the tree of `size` leaves begins with that of `before`. */
export async function proveConsistency(
  tx: Tx,
  before: number,
  size: number,
): Promise<Uint8Array[]> {
  return consistencyProof(before, size, await readNodes(tx, nodesOfConsistency(before, size), size))
}

/** The root of the first `size` leaves; the log has at least as many. */
export async function rootAt(tx: Tx, size: number): Promise<Uint8Array> {
  return rootOf(size, await readNodes(tx, nodesOfRoot(size), size))
}

/** Reads the tiles in which these subtrees lie: the full ones at once, and the leaves or roots of partial ones. */
async function readNodes(tx: Tx, nodes: readonly TreeNode[], size: number): Promise<HashAt> {
  const places = new Map(nodes.map(tileOf).map((place) => [nameOf(place), place]))
  const isFull = (place: { level: number; index: number }) => widthIn(place, size) === TILE_WIDTH
  const all = [...places.values()]
  const partial = all.filter((place) => !isFull(place))
  const [full, ...others] = await Promise.all([
    listFullTiles(tx, all.filter(isFull)),
    ...partial.map(async (place) => ({
      ...place,
      hashes: Buffer.concat(await listHashes(tx, place, widthIn(place, size))),
    })),
  ])
  const tiles = new Map([...full, ...others].map((tile) => [nameOf(tile), tile.hashes]))
  return (node) => hashInTile(node, tiles.get(nameOf(tileOf(node))) ?? new Uint8Array(), hashPair)
}

const NODE = Buffer.of(1)
/** `nodeHash` by the native library: a proof takes hundreds of them. */
const hashPair = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  hash('sha256', Buffer.concat([NODE, left, right]), 'buffer')

const nameOf = ({ level, index }: { level: number; index: number }): string => `${level}/${index}`
