import {
  consistencyProof,
  type HashAt,
  nodesOfConsistency,
  type TreeNode,
} from '#domain/log/merkle.ts'
import {
  hashesOf,
  hashInTile,
  TILE_WIDTH,
  type Tile,
  tileOf,
  tilePath,
  widthIn,
} from '#domain/log/tiles.ts'
import { errorText } from '../error-text.ts'

const TIMEOUT_MS = 10_000
/** More than any tile, checkpoint or proof of the formats takes. */
const ANSWER_BYTES_MAX = 65_536 * 257
const HASH_BYTES = 32
const TILES_AT_ONCE = 8

/** Reads what a public log or witness serves; no redirect is followed, and an answer has its bounds. */
export async function readPublic(url: string): Promise<Uint8Array | undefined> {
  const answer = await fetch(url, {
    redirect: 'error',
    headers: { 'user-agent': 'agent-rails' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new Error(`${url} does not answer: ${errorText(error)}`)
  })
  if (answer.status === 404) {
    await answer.body?.cancel()
    return undefined
  }
  if (!answer.ok || answer.body === null) throw new Error(`${url} answers ${answer.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body as AsyncIterable<Uint8Array>) {
    bytes += part.length
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`${url} answers too much`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** A public log by its static files (C2SP tlog-tiles). Nothing that it serves is trusted. */
export type LogReader = {
  checkpoint(): Promise<string>
  /** The hashes of a consistency proof, made of tiles; whether they prove anything is for the reader. */
  consistency(older: number, newer: number): Promise<Uint8Array[]>
  /** The hashes of all leaves in their order, as the tiles have them. */
  leaves(size: number): AsyncGenerator<Uint8Array[]>
}

export function openLogReader(url: string): LogReader {
  const base = `${url.replace(/\/+$/, '').replace(/\/log$/, '')}/log`
  const readTile = async (tile: Tile): Promise<Uint8Array> => {
    const path = `${base}/${tilePath(tile)}`
    // A log may drop a partial tile once the full one is there.
    const bytes =
      (await readPublic(path)) ??
      (await readPublic(`${base}/${tilePath({ ...tile, width: TILE_WIDTH })}`))
    if (bytes === undefined || bytes.length < tile.width * HASH_BYTES)
      throw new Error(`${path} is no tile of ${tile.width} hashes`)
    return bytes.subarray(0, tile.width * HASH_BYTES)
  }
  return {
    checkpoint: async () => {
      const bytes = await readPublic(`${base}/checkpoint`)
      if (bytes === undefined) throw new Error(`${base}/checkpoint is not there`)
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    },
    consistency: async (older, newer) => {
      const hashes = await readHashes(nodesOfConsistency(older, newer), newer, readTile)
      return consistencyProof(older, newer, hashes)
    },
    leaves: async function* (size) {
      const indexes = Array.from({ length: Math.ceil(size / TILE_WIDTH) }, (_, index) => index)
      for (let at = 0; at < indexes.length; at += TILES_AT_ONCE) {
        const places = indexes.slice(at, at + TILES_AT_ONCE).map((index) => ({ level: 0, index }))
        const tiles = places.map((place) => readTile({ ...place, width: widthIn(place, size) }))
        for (const tile of await Promise.all(tiles)) yield hashesOf(tile)
      }
    },
  }
}

/** The hashes of these subtrees in a tree of this size, each tile read once. */
async function readHashes(
  nodes: readonly TreeNode[],
  size: number,
  readTile: (tile: Tile) => Promise<Uint8Array>,
): Promise<HashAt> {
  const nameOf = (node: TreeNode) => `${tileOf(node).level} ${tileOf(node).index}`
  const tiles = new Map<string, Uint8Array>()
  for (const node of nodes) {
    const place = tileOf(node)
    if (!tiles.has(nameOf(node)))
      tiles.set(nameOf(node), await readTile({ ...place, width: widthIn(place, size) }))
  }
  return (node) => hashInTile(node, tiles.get(nameOf(node)) ?? new Uint8Array())
}
