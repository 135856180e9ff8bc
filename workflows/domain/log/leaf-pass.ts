import { bytesToHex } from '@noble/hashes/utils.js'
import { merkleRoot, nodeHash } from './merkle.ts'

/** What one pass over all leaf hashes of a log is for: the roots at some sizes, and the places of some leaves. */
export type LeafPass = {
  /** Takes the next leaf hashes in their order. */
  add(leaves: readonly Uint8Array[]): void
  readonly size: () => number
  /** The root of each asked size that was reached, hex. */
  readonly roots: ReadonlyMap<number, string>
  /** The index of each asked leaf hash (hex) that was seen. */
  readonly places: ReadonlyMap<string, number>
}

/** Starts a pass. It keeps one hash for each level of the tree, however many leaves there are. */
export function startLeafPass(sizes: Iterable<number>, leaves: Iterable<string>): LeafPass {
  const wantedSizes = new Set(sizes)
  const wantedLeaves = new Set(leaves)
  const roots = new Map<number, string>()
  const places = new Map<string, number>()
  /** Complete subtrees from the left, largest first. */
  const subtrees: { count: number; hash: Uint8Array }[] = []
  let size = 0

  const keepRoot = (): void => {
    const hashes = subtrees.map(({ hash }) => hash)
    const root =
      hashes.length === 0
        ? merkleRoot([])
        : hashes.reduceRight((right, left) => nodeHash(left, right))
    if (wantedSizes.has(size)) roots.set(size, bytesToHex(root))
  }
  const addOne = (leaf: Uint8Array): void => {
    if (wantedLeaves.size > 0) {
      const hex = bytesToHex(leaf)
      if (wantedLeaves.has(hex) && !places.has(hex)) places.set(hex, size)
    }
    let last = { count: 1, hash: leaf }
    while (subtrees.at(-1)?.count === last.count) {
      const left = subtrees.pop() ?? last
      last = { count: 2 * last.count, hash: nodeHash(left.hash, last.hash) }
    }
    subtrees.push(last)
    size += 1
    if (wantedSizes.has(size)) keepRoot()
  }
  keepRoot()
  return { add: (given) => given.forEach(addOne), size: () => size, roots, places }
}
