import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import {
  checkpointText,
  NOTE_ED25519,
  type NoteKey,
  signatureLine,
  signedNote,
} from '#domain/log/checkpoint.ts'
import { coseSigned } from '#domain/log/cose.ts'
import { type Frontier, frontierWidths, grow, rootOfFrontier } from '#domain/log/frontier.ts'
import { isSame } from '#domain/log/merkle.ts'
import { decodeBase64url, encodeBase64url, OtherHead } from '../keys/compact.ts'
import type { KeyRings } from '../keys/key-ring.ts'
import { readKeyStatus } from '../keys/key-status.ts'
import type { IsOurs } from '../keys/own-receipts.ts'
import {
  type CheckpointRow,
  findCheckpoint,
  insertCheckpoint,
  tryLockLog,
} from '../store/log/checkpoints.ts'
import {
  insertLeaves,
  insertTiles,
  listEntries,
  listHashes,
  listQueued,
  type Queued,
  removeQueued,
} from '../store/log/leaves.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import { setAside } from '../store/receipts/receipts.ts'
import type { Database } from '../store/schema/schema.ts'
import { createProver } from './proofs.ts'

export type LogDeps = {
  db: Kysely<Database>
  keys: Pick<KeyRings, 'log'>
  origin: string
  /** Whether a key of ours signed a receipt. A queued row for which this is false is set aside and reported, and is no leaf. */
  isOurs?: IsOurs
  log?: Pick<Logger, 'error'>
}

/** How many receipts one transaction puts into the log at most. */
const BATCH = 4_096

/** The key that signs checkpoints, as a note names it. */
export const noteKeyOf = (origin: string, publicJwk: Record<string, unknown>): NoteKey => ({
  name: origin,
  type: NOTE_ED25519,
  key: decodeBase64url(String(publicJwk['x'])),
})

/**
 * Puts all queued receipts into the log, batch by batch, and signs a checkpoint for each batch. Leaves are committed before their
 * root is signed, so no two roots of one size are ever signed; with the root goes the proof that the tree only grew. Each transaction
 * is under one lock: a process that dies leaves the queue as it was, and a second sequencer does nothing. Answers the number of
 * entries that left the queue.
 */
export async function sequence(deps: LogDeps, batch = BATCH): Promise<number> {
  let total = 0
  for (;;) {
    const { removed, more } = await transaction(deps.db, (tx) => takeStep(deps, tx, batch))
    total += removed
    if (!more) return total
  }
}

/** `more`: another step is due at once. */
type Step = { readonly removed: number; readonly more: boolean }
const nothing: Step = { removed: 0, more: false }

async function takeStep(deps: LogDeps, tx: Tx, batch: number): Promise<Step> {
  if (!(await tryLockLog(tx))) return nothing
  const last = await findCheckpoint(tx)
  const queued = await listQueued(tx, batch)
  if (queued.length === 0 && last !== undefined) return nothing
  const size = last?.size ?? 0
  const frontier = await readFrontier(tx, last)
  const unsigned = await listEntries(tx, size, Number.MAX_SAFE_INTEGER)
  if (unsigned.length === 0 && queued.length > 0)
    return append(tx, await withoutForgeries(deps, tx, queued), { size, frontier, batch })
  const grown = grow(frontier, size, unsigned)
  await removeQueued(tx, unsigned)
  const root = rootOfFrontier(grown.frontier)
  const from = last?.origin === deps.origin ? size : 0
  await signCheckpoint(deps, tx, { size: size + unsigned.length, root, from })
  return { removed: unsigned.length, more: unsigned.length >= batch }
}

/** The queued entries without those of receipts that no key of ours signed, which leave their chains and the queue. */
async function withoutForgeries(
  { isOurs, log }: LogDeps,
  tx: Tx,
  queued: readonly Queued[],
): Promise<readonly Queued[]> {
  if (isOurs === undefined) return queued
  const ours = await Promise.all(
    queued.map(
      async ({ is_leaf, receipt }) => is_leaf || receipt === null || (await isOurs(tx, receipt)),
    ),
  )
  const forged = queued.filter((_, index) => ours[index] === false)
  if (forged.length === 0) return queued
  const ids = forged.flatMap(({ receipt }) => receipt?.receipt_id ?? [])
  await setAside(tx, ids)
  await removeQueued(
    tx,
    forged.map(({ entry }) => entry),
  )
  log?.error(
    { receipts: ids.slice(0, 20) },
    `${ids.length} receipts without our signature set aside`,
  )
  return queued.filter((_, index) => ours[index] === true)
}

/** Stores leaves and tiles; the entries stay queued until a checkpoint has them. */
async function append(
  tx: Tx,
  queued: readonly Queued[],
  { size, frontier, batch }: { size: number; frontier: Frontier; batch: number },
): Promise<Step> {
  const entries = queued.flatMap(({ entry, is_leaf }) => (is_leaf ? [] : [entry]))
  if (entries.length === 0) {
    // These were queued again.
    await removeQueued(
      tx,
      queued.map(({ entry }) => entry),
    )
    return { removed: queued.length, more: queued.length >= batch }
  }
  await insertLeaves(tx, size, entries)
  await insertTiles(tx, grow(frontier, size, entries).tiles)
  return { removed: 0, more: true }
}

/** Reads where the tree ends. Nothing is signed on top of rows that are not those of the last checkpoint. */
async function readFrontier(tx: Tx, last: CheckpointRow | undefined): Promise<Frontier> {
  const size = last?.size ?? 0
  const levels = frontierWidths(size).map((width, level) => {
    const index = Math.floor(size / 256 ** (level + 1))
    return listHashes(tx, { level, index }, width)
  })
  const frontier = await Promise.all(levels)
  if (last !== undefined && !isSame(rootOfFrontier(frontier), last.root))
    throw new Error(`the stored leaves are not those of the checkpoint of ${size}`)
  return frontier
}

async function signCheckpoint(
  { keys, origin }: LogDeps,
  tx: Tx,
  { size, root, from }: { size: number; root: Uint8Array; from: number },
): Promise<void> {
  const key = (await readKeyStatus(tx, keys, ['log'])).signer('log')
  const text = checkpointText({ origin, size, root })
  const sign = async (before: number): Promise<Uint8Array> => {
    const path = await createProver(tx).consistency(before, size)
    return key.sign(text, { consistency: { from: before, path: path.map(encodeBase64url) } })
  }
  const signature = await sign(from).catch((error: unknown) => {
    // A checkpoint whose transaction was lost after it was signed.
    if (error instanceof OtherHead && error.size <= size) return sign(error.size)
    throw error
  })
  const note = signedNote(text, [signatureLine(noteKeyOf(origin, key.publicJwk), signature)])
  const cose_signature = Buffer.from(await key.sign(coseSigned(key.kid, root)))
  await insertCheckpoint(tx, { size, root, origin, note, cose_signature, kid: key.kid })
}
