import { leafHash, merkleRoot, nodeHash, rootOf } from './merkle.ts'
import { TILE_WIDTH } from './tiles.ts'

/** The hashes of the partial tile on each level, lowest level first: all that a tree needs in order to grow. */
export type Frontier = readonly (readonly Uint8Array[])[]
/** A tile that has become full: its hashes in one string of bytes, and their root. */
export type FullTile = { level: number; index: number; hashes: Uint8Array[]; root: Uint8Array }

/** Appends entries to a tree of `size` leaves; answers the new frontier, and the tiles that became full. */
export function grow(
  frontier: Frontier,
  size: number,
  entries: readonly Uint8Array[],
): { frontier: Frontier; tiles: FullTile[] } {
  const levels = frontier.map((hashes) => [...hashes])
  const tiles: FullTile[] = []
  for (const [at, entry] of entries.entries()) {
    let hash = leafHash(entry)
    for (let level = 0; ; level++) {
      const hashes = levels[level] ?? []
      levels[level] = hashes
      hashes.push(hash)
      if (hashes.length < TILE_WIDTH) break
      hash = merkleRoot(hashes)
      const index = (size + at + 1) / TILE_WIDTH ** (level + 1) - 1
      tiles.push({ level, index, hashes, root: hash })
      levels[level] = []
    }
  }
  return { frontier: levels, tiles }
}

/** The root of the tree that ends with this frontier. */
export function rootOfFrontier(frontier: Frontier): Uint8Array {
  const nodes = [...frontier].reverse().flatMap(completeSubtrees)
  return nodes.length === 0
    ? rootOf(0, () => new Uint8Array())
    : nodes.reduceRight((right, left) => nodeHash(left, right))
}

/** How many hashes the partial tile on each level has, in a tree of `size` leaves. */
export function frontierWidths(size: number): number[] {
  const widths: number[] = []
  for (let rest = size; rest > 0; rest = Math.floor(rest / TILE_WIDTH))
    widths.push(rest % TILE_WIDTH)
  return widths
}

/** The roots of the complete subtrees over a run of hashes, largest first. */
function completeSubtrees(hashes: readonly Uint8Array[]): Uint8Array[] {
  const roots: Uint8Array[] = []
  let from = 0
  while (from < hashes.length) {
    const count = 2 ** Math.floor(Math.log2(hashes.length - from))
    roots.push(merkleRoot(hashes.slice(from, from + count)))
    from += count
  }
  return roots
}
