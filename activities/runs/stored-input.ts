import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { textScreenOf } from '../screening/text-screen.ts'
import {
  addInput,
  appendChunk,
  beginBlob,
  countBytes,
  dropBlob,
  findInput,
  type InputName,
  type InputRow,
  isInputUsed,
  type OwnerBounds,
  readChunks,
} from '../store/inputs/agent-inputs.ts'
import { findSecretCheck } from '../store/inputs/upload-checks.ts'
import type { Tx } from '../store/postgres/db.ts'

/** The outcome of an upload; a refused upload stores nothing. */
export type Upload =
  | { ok: true; input: InputRow; fresh: boolean }
  | {
      ok: false
      reason:
        | 'digest_mismatch'
        | 'too_large'
        | 'empty'
        | 'no_room'
        | 'no_room_at_all'
        | 'too_many_at_once'
        | 'in_use'
    }
  /** Its text holds a secret of this kind. */
  | { ok: false; reason: 'secret'; kind: string }

const CHUNK_BYTES = 512 * 1024

/**
 * Stores a stream as the input of its digest, half a megabyte in memory at a time, whatever its length; the digest is worked
 * out on the way, and texts are screened for secrets. An owner's input that is there already is answered unread; one of another
 * type is read again and replaced, since its text was not screened as that type.
 */
export async function storeInput(
  db: Tx,
  name: InputName,
  mediaType: InputRow['media_type'],
  stream: AsyncIterable<Uint8Array>,
  bounds: InputBounds,
): Promise<Upload> {
  const known = await findInput(db, name)
  if (known !== undefined) {
    const answer = await again(db, known, mediaType)
    if (answer !== undefined) return answer
  }
  const kept = (await countBytes(db, name.owner)) - Number(known?.byte_length ?? 0)
  const room = bounds.owner.bytesMax - kept
  if (room <= 0) return { ok: false, reason: 'no_room' }
  const begun = await beginBlob(db, name.owner, bounds.owner, Math.min(room, bounds.bytesMax))
  if (begun === 'too_many_at_once') return { ok: false, reason: begun }
  if (begun === 'no_room') return { ok: false, reason: 'no_room_at_all' }
  const { blobId } = begun
  // If the blob cannot be deleted now, the sweep deletes it later. The answer stays the same.
  const drop = () => dropBlob(db, blobId).catch(() => undefined)
  const stored = await fill(db, { ...name, mediaType, blobId, bounds, room }, stream).catch(
    async (error: unknown) => {
      await drop()
      throw error
    },
  )
  if (!stored.ok || !stored.fresh) await drop()
  return stored
}

/**
 * The answer to a repeat: an input that is there already, unless a reading has found a secret in it. Undefined for one of another
 * type that nothing uses.
 */
async function again(
  db: Tx,
  known: InputRow,
  mediaType: InputRow['media_type'],
): Promise<Upload | undefined> {
  const check = await findSecretCheck(db, known)
  if (check?.outcome != null && 'secret' in check.outcome)
    return { ok: false, reason: 'secret', kind: check.outcome.secret }
  if (known.media_type === mediaType) return { ok: true, input: known, fresh: false }
  return (await isInputUsed(db, known)) ? { ok: false, reason: 'in_use' } : undefined
}

/** How long one input may be, and what its owner may upload in all. */
export type InputBounds = { readonly bytesMax: number; readonly owner: OwnerBounds }
type Filling = InputName & {
  mediaType: InputRow['media_type']
  blobId: string
  bounds: InputBounds
  /** Bytes that the owner may still upload. */
  room: number
}

async function fill(
  db: Tx,
  { owner, sha256, mediaType, blobId, bounds, room }: Filling,
  stream: AsyncIterable<Uint8Array>,
): Promise<Upload> {
  const hash = createHash('sha256')
  const screen = textScreenOf(mediaType)
  let bytes = 0
  let seq = 0
  for await (const chunk of gathered(stream)) {
    bytes += chunk.length
    if (bytes > bounds.bytesMax) return { ok: false, reason: 'too_large' }
    if (bytes > room) return { ok: false, reason: 'no_room' }
    hash.update(chunk)
    const kind = await screen?.take(chunk)
    if (kind !== undefined) return { ok: false, reason: 'secret', kind }
    await appendChunk(db, blobId, seq++, chunk)
  }
  if (bytes === 0) return { ok: false, reason: 'empty' }
  const kind = screen?.end()
  if (kind !== undefined) return { ok: false, reason: 'secret', kind }
  if (hash.digest('hex') !== sha256) return { ok: false, reason: 'digest_mismatch' }
  const named = { owner, sha256, blob_id: blobId, byte_length: bytes, media_type: mediaType }
  const added = await addInput(db, named, bounds.owner)
  if (added === 'no_room' || added === 'in_use') return { ok: false, reason: added }
  const input = await findInput(db, { owner, sha256 })
  if (input === undefined) throw new Error('an input that was stored is not there')
  return { ok: true, input, fresh: added === 'added' }
}

/** The same bytes in chunks of equal length, except the last chunk. */
async function* gathered(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let filled = 0
  for await (const piece of stream) {
    for (let from = 0; from < piece.length; ) {
      const taken = Math.min(piece.length - from, CHUNK_BYTES - filled)
      chunk.set(piece.subarray(from, from + taken), filled)
      from += taken
      filled += taken
      if (filled < CHUNK_BYTES) continue
      yield chunk
      chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      filled = 0
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled)
}

export type InputStream = {
  mediaType: InputRow['media_type']
  bytes: number
  stream: Readable
}

/** An owner's input as a stream of bytes, read a chunk at a time as it is consumed; undefined where there is none. */
export async function readInput(db: Tx, name: InputName): Promise<InputStream | undefined> {
  const input = await findInput(db, name)
  if (input === undefined) return undefined
  return {
    mediaType: input.media_type,
    bytes: input.byte_length,
    stream: Readable.from(readChunks(db, input.blob_id), { objectMode: false }),
  }
}
