import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** A complete subtree: `level` 0 is a leaf, and `index` counts the subtrees of that level from the left. */
export type TreeNode = { readonly level: number; readonly index: number }
/** The leaves from `low` up to, without, `high`. */
type Range = readonly [low: number, high: number]
/** The hash of a complete subtree. */
export type HashAt = (node: TreeNode) => Uint8Array

/** The hash of one leaf (RFC 9162 §2.1.1, as RFC 6962 has it): SHA-256 over 0x00 and its bytes. */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(concatBytes(LEAF, data))
}

/** The hash of an inner node: SHA-256 over 0x01 and its two children. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(NODE, left, right))
}

/** Hashes two children as `nodeHash` does. */
export type HashPair = (left: Uint8Array, right: Uint8Array) => Uint8Array

/** The root over leaf hashes in their order; of no leaves, the hash of nothing. */
export function merkleRoot(
  leaves: readonly Uint8Array[],
  hashPair: HashPair = nodeHash,
): Uint8Array {
  const [first] = leaves
  if (first === undefined) return sha256(new Uint8Array())
  if (leaves.length === 1) return first
  const half = largestPowerBelow(leaves.length)
  return hashPair(
    merkleRoot(leaves.slice(0, half), hashPair),
    merkleRoot(leaves.slice(half), hashPair),
  )
}

/** The root of the first `size` leaves, from the hashes of complete subtrees. */
export const rootOf = (size: number, at: HashAt): Uint8Array =>
  size === 0 ? sha256(new Uint8Array()) : hashOf([0, size], at)

/** The audit path of a leaf in the tree of `size` leaves, from the leaf upwards (RFC 9162 §2.1.3.1). */
export const inclusionProof = (index: number, size: number, at: HashAt): Uint8Array[] =>
  inclusionRanges(index, [0, size]).map((range) => hashOf(range, at))

/** The proof that the tree of `size` leaves begins with that of `before` leaves (RFC 9162 §2.1.4.1). */
export const consistencyProof = (before: number, size: number, at: HashAt): Uint8Array[] =>
  before === 0 ? [] : consistencyRanges(before, [0, size], true).map((range) => hashOf(range, at))

/** The subtrees whose hashes `rootOf` asks for. */
export const nodesOfRoot = (size: number): TreeNode[] => (size === 0 ? [] : subtrees([0, size]))

/** The subtrees whose hashes `inclusionProof` asks for. */
export const nodesOfInclusion = (index: number, size: number): TreeNode[] =>
  inclusionRanges(index, [0, size]).flatMap(subtrees)

/** The subtrees whose hashes `consistencyProof` asks for. */
export const nodesOfConsistency = (before: number, size: number): TreeNode[] =>
  before === 0 ? [] : consistencyRanges(before, [0, size], true).flatMap(subtrees)

/** A leaf hash, its place, the path that proves it, and the root of the tree of `size` leaves. */
export type Inclusion = {
  index: number
  size: number
  leaf: Uint8Array
  path: readonly Uint8Array[]
}

/** The root that an audit path leads to (RFC 9162 §2.1.3.2); nothing where its length is not that of the place. */
function rootOfInclusion({ index, size, leaf, path }: Inclusion): Uint8Array | undefined {
  if (!isCount(index) || !isCount(size) || index >= size || leaf.length !== 32) return undefined
  let [fn, sn, root] = [index, size - 1, leaf]
  for (const sibling of path) {
    if (sn === 0 || sibling.length !== 32) return undefined
    if (fn % 2 === 1 || fn === sn) {
      root = nodeHash(sibling, root)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else root = nodeHash(root, sibling)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return sn === 0 ? root : undefined
}

/** Whether the leaf is in the tree with this root. */
export function verifyInclusion(inclusion: Inclusion, root: Uint8Array): boolean {
  const reached = rootOfInclusion(inclusion)
  return reached !== undefined && isSame(reached, root)
}

/** A tree by the number of its leaves and its root. */
export type TreeHead = { size: number; root: Uint8Array }

/** Whether the tree `after` begins with all leaves of the tree `before` (RFC 9162 §2.1.4.2). */
export function verifyConsistency(
  before: TreeHead,
  after: TreeHead,
  path: readonly Uint8Array[],
): boolean {
  if (!isCount(before.size) || !isCount(after.size) || before.size > after.size) return false
  if ([before.root, after.root, ...path].some(({ length }) => length !== 32)) return false
  if (before.size === 0) return path.length === 0 && isSame(before.root, sha256(new Uint8Array()))
  if (before.size === after.size) return path.length === 0 && isSame(before.root, after.root)
  let [fn, sn] = [before.size - 1, after.size - 1]
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)]
  // A complete first tree is itself the first node of the path.
  const [seed, ...rest] = fn === 0 ? [before.root, ...path] : path
  if (seed === undefined) return false
  let [first, second] = [seed, seed]
  for (const node of rest) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      first = nodeHash(node, first)
      second = nodeHash(node, second)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else second = nodeHash(second, node)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return sn === 0 && isSame(first, before.root) && isSame(second, after.root)
}

/** Whether two byte strings are the same; roots are public, so time says nothing secret. */
export const isSame = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => byte === right[at])

/** The complete subtrees of a range that starts at a multiple of its largest one, largest first. */
function subtrees([low, high]: Range): TreeNode[] {
  const nodes: TreeNode[] = []
  let from = low
  while (from < high) {
    const level = Math.floor(Math.log2(high - from))
    nodes.push({ level, index: from / 2 ** level })
    from += 2 ** level
  }
  return nodes
}

function hashOf(range: Range, at: HashAt): Uint8Array {
  return subtrees(range)
    .map(at)
    .reduceRight((right, left) => nodeHash(left, right))
}

function inclusionRanges(index: number, [low, high]: Range): Range[] {
  if (high - low === 1) return []
  const middle = low + largestPowerBelow(high - low)
  return index < middle
    ? [...inclusionRanges(index, [low, middle]), [middle, high]]
    : [...inclusionRanges(index, [middle, high]), [low, middle]]
}

/** `known`: the verifier has the hash of the range already, because it is the whole first tree. */
function consistencyRanges(before: number, [low, high]: Range, known: boolean): Range[] {
  if (before === high) return known ? [] : [[low, high]]
  const middle = low + largestPowerBelow(high - low)
  return before <= middle
    ? [...consistencyRanges(before, [low, middle], known), [middle, high]]
    : [...consistencyRanges(before, [middle, high], false), [low, middle]]
}

function largestPowerBelow(count: number): number {
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}

const half = (count: number): number => Math.floor(count / 2)
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
