import { setTimeout as sleep } from 'node:timers/promises'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import {
  consistencyProof,
  type HashAt,
  merkleRoot,
  nodesOfConsistency,
  type TreeNode,
} from '#domain/log/merkle.ts'
import { hashesOf, TILE_WIDTH, type Tile, tileOf, tilePath, widthIn } from '#domain/log/tiles.ts'
import { errorText } from '../error-text.ts'

const TIMEOUT_MS = 10_000
/** How long and how often a limit of the log is waited for. */
const WAIT_S_MAX = 120
const WAITS_MAX = 10
/** More than any tile, checkpoint or proof of the formats takes. */
const ANSWER_BYTES_MAX = 65_536 * 257
const HASH_BYTES = 32
/** Levels of the tree in one tile. */
const TILE_LEVELS = 8
const TILES_AT_ONCE = 8

/** An answer that is neither what was asked for nor that there is nothing. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused'
  readonly status: number

  constructor(url: string, status: number) {
    super(`${url} answers ${status}`)
    this.status = status
  }
}

/**
 * Reads what a public log or witness serves, undefined where there is nothing. No redirect is followed, an answer has its bounds,
 * and a reader that is too fast waits as long as it is asked to.
 */
export async function readPublic(url: string): Promise<Uint8Array | undefined> {
  for (let waits = 0; ; waits += 1) {
    const answer = await fetch(url, {
      redirect: 'error',
      headers: { 'user-agent': 'agent-rails' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new Error(`${url} does not answer: ${errorText(error)}`)
    })
    if (answer.ok && answer.body !== null) return readAll(answer.body, url)
    await answer.body?.cancel()
    if (answer.status === 404) return undefined
    const seconds = Number(answer.headers.get('retry-after') ?? 1)
    if (answer.status !== 429 || !(seconds <= WAIT_S_MAX) || waits === WAITS_MAX)
      throw new AnswerRefused(url, answer.status)
    await sleep(1_000 * Math.max(1, seconds))
  }
}

/** The note that a log or witness serves at this URL, not verified. Throws where there is none. */
export async function readNote(url: string): Promise<string> {
  const bytes = await readPublic(url)
  if (bytes === undefined) throw new Error(`${url} is not there`)
  return new TextDecoder().decode(bytes)
}

async function readAll(body: ReadableStream<Uint8Array>, url: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
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
  return (node) => {
    const count = 2 ** (node.level % TILE_LEVELS)
    const start = (node.index * count) % TILE_WIDTH
    const tile = tiles.get(nameOf(node)) ?? new Uint8Array()
    return merkleRoot(hashesOf(tile).slice(start, start + count))
  }
}

/** Where a witness serves its last checkpoint of the log of this origin. */
export const monitorPath = (origin: string): string => `/${sha256Hex(origin)}/checkpoint`

/** The same at the URL of a witness. */
export const monitorUrl = (url: string, origin: string): string =>
  url.replace(/\/+$/, '') + monitorPath(origin)

/** The file in which a checkpoint is kept. */
export const checkpointFile = (note: string): string => `${sha256Hex(note).slice(0, 16)}.checkpoint`
