import { concatBytes } from '@noble/hashes/utils.js'
import { type HashPair, nodeHash, type TreeNode } from './merkle.ts'

/** Hashes in a full tile, and so the levels of the tree that a tile holds (C2SP tlog-tiles). */
export const TILE_WIDTH = 256
const TILE_LEVELS = 8
export const HASH_BYTES = 32
/** A tree of 2^53 leaves has tiles on these levels only. */
const LEVEL_MAX = 6

/** A tile: `level` counts in steps of eight levels of the tree; `width` is the number of its hashes, 256 when it is full. */
export type Tile = { readonly level: number; readonly index: number; readonly width: number }

/** `tile/<L>/<N>` of a full tile, `tile/<L>/<N>.p/<W>` of a partial one. */
export const tilePath = ({ level, index, width }: Tile): string =>
  `tile/${level}/${numberPath(index)}${widthPath(width)}`

/** `tile/entries/<N>`, with `.p/<W>` where the bundle is partial. */
export const entriesPath = ({ index, width }: Omit<Tile, 'level'>): string =>
  `tile/entries/${numberPath(index)}${widthPath(width)}`

/** What a path without its prefix names; nothing where it is not the one form of that name. */
export function parseTilePath(
  path: string,
): Tile | (Omit<Tile, 'level'> & { level: 'entries' }) | undefined {
  const parts = tileName.exec(path)
  if (parts === null) return undefined
  const [, level = '', high = '', low = '', partial] = parts
  const index = Number(`${high.replaceAll(/[x/]/g, '')}${low}`)
  const width = partial === undefined ? TILE_WIDTH : Number(partial)
  if (!Number.isSafeInteger(index * TILE_WIDTH) || width < 1 || width > TILE_WIDTH) return undefined
  if (level === 'entries') {
    return entriesPath({ index, width }) === path ? { level, index, width } : undefined
  }
  const tile = { level: Number(level), index, width }
  return tile.level <= LEVEL_MAX && tilePath(tile) === path ? tile : undefined
}

const tileName = /^tile\/(\d{1,2}|entries)\/((?:x\d{3}\/){0,5})(\d{3})(?:\.p\/(\d{1,3}))?$/

/** The width that a tile has in the tree of `size` leaves; 0 where the tree does not reach it. */
export function widthIn({ level, index }: Omit<Tile, 'width'>, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level)
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH))
}

/** The tile in which the hash of a complete subtree can be computed. */
export function tileOf(node: TreeNode): { level: number; index: number } {
  const { level, first } = placeOf(node)
  return { level, index: Math.floor(first / TILE_WIDTH) }
}

/** The hashes of all complete subtrees of a tile, also of a partial one: its own, one after the other, those of their pairs, and so on. */
export function subtreesOf(tile: Uint8Array, hashPair: HashPair = nodeHash): Uint8Array[] {
  const levels = [tile]
  for (let below = tile; below.length > HASH_BYTES; ) {
    const pairs = Math.floor(below.length / (2 * HASH_BYTES))
    const above = new Uint8Array(pairs * HASH_BYTES)
    for (let at = 0; at < pairs; at++)
      above.set(hashPair(hashAt(below, 2 * at), hashAt(below, 2 * at + 1)), at * HASH_BYTES)
    levels.push(above)
    below = above
  }
  return levels
}

/** The hash of a complete subtree, from those of its tile; throws RangeError where the tile does not reach so far. */
export function hashInTile(
  { level, index }: TreeNode,
  subtrees: readonly Uint8Array[],
): Uint8Array {
  const above = level % TILE_LEVELS
  const hash = hashAt(subtrees[above] ?? new Uint8Array(), index % (TILE_WIDTH / 2 ** above))
  if (hash.length < HASH_BYTES) throw new RangeError('the tile is too short')
  return hash
}

/** How many hashes a tile must have at least in order to contain a complete subtree. */
export function widthWith(node: TreeNode): number {
  const { first, count } = placeOf(node)
  return (first % TILE_WIDTH) + count
}

/** The hashes of a tile in their order. */
export const hashesOf = (tile: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.floor(tile.length / HASH_BYTES) }, (_, at) => hashAt(tile, at))

const hashAt = (hashes: Uint8Array, at: number): Uint8Array =>
  hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)

/** An entry bundle: each entry behind its length as two bytes, big-endian. */
export const entryBundle = (entries: readonly Uint8Array[]): Uint8Array =>
  concatBytes(
    ...entries.flatMap((entry) => {
      if (entry.length > 0xffff) throw new RangeError('an entry has at most 65,535 bytes')
      return [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry]
    }),
  )

/** The hashes of a tile level that lie under a subtree: from `first`, `count` of them. */
function placeOf({ level, index }: TreeNode): { level: number; first: number; count: number } {
  const count = 2 ** (level % TILE_LEVELS)
  return { level: Math.floor(level / TILE_LEVELS), first: index * count, count }
}

/** Three digits a part, all but the last with an `x`: 1234067 is `x001/x234/067`. */
function numberPath(index: number): string {
  const digits = String(index)
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0')
  const parts = padded.match(/\d{3}/g) ?? []
  return parts.map((part, at) => (at === parts.length - 1 ? part : `x${part}`)).join('/')
}

const widthPath = (width: number): string => (width === TILE_WIDTH ? '' : `.p/${width}`)
