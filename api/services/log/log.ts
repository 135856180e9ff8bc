import type { Kysely } from 'kysely'
import { refuse } from '#domain/core/errors.ts'
import { entryOf } from '#domain/log/bundle.ts'
import { noteKeyId, parseSignatureLine, verifierKey } from '#domain/log/checkpoint.ts'
import { coseReceipt } from '#domain/log/cose.ts'
import { proofFile } from '#domain/log/kept-proof.ts'
import { isSame } from '#domain/log/merkle.ts'
import { entryBundle, parseTilePath, widthIn } from '#domain/log/tiles.ts'
import type { WitnessSetting } from '../../../activities/config/log-settings.ts'
import { publishedKey } from '../../../activities/keys/published-key.ts'
import { createProver, type Prover } from '../../../activities/log/proofs.ts'
import { noteKeyOf } from '../../../activities/log/sequencer.ts'
import { findKey, listPublicKeys } from '../../../activities/store/keys/signing-keys.ts'
import {
  type CheckpointRow,
  findCheckpoint,
  findCosigned,
  listCosignatures,
} from '../../../activities/store/log/checkpoints.ts'
import { findLeaf, listEntries, listHashes } from '../../../activities/store/log/leaves.ts'
import { findReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'

type LogSettings = { db: Kysely<Database>; witnesses: readonly WitnessSetting[] }

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Reads the transparency log: its checkpoint, its tiles, and proofs; it writes and signs nothing. */
export class LogService {
  readonly #db: Kysely<Database>
  readonly #prover: Prover
  readonly #witnesses: readonly WitnessSetting[]

  constructor({ db, witnesses }: LogSettings) {
    this.#db = db
    this.#prover = createProver(db)
    this.#witnesses = witnesses
  }

  /** The latest checkpoint with the cosignatures of the configured witnesses; nothing before the first one. */
  async checkpoint(): Promise<string | undefined> {
    const row = await findCheckpoint(this.#db)
    return row && this.#noteOf(row)
  }

  /** The bytes of a tile or bundle of entries that the log has reached; nothing for any other path. */
  async tile(path: string): Promise<{ bytes: Uint8Array; full: boolean } | undefined> {
    const tile = parseTilePath(path)
    const head = tile && (await findCheckpoint(this.#db))
    if (tile === undefined || head === undefined) return undefined
    const { index, width } = tile
    const level = tile.level === 'entries' ? 0 : tile.level
    if (widthIn({ level, index }, head.size) < width) return undefined
    const low = index * 256
    const bytes =
      tile.level === 'entries'
        ? entryBundle(await listEntries(this.#db, low, low + width))
        : Buffer.concat(await listHashes(this.#db, { level, index }, width))
    return { bytes, full: width === 256 }
  }

  /** The proof that a receipt is in the log, in its latest tree or in that of a size. */
  async inclusion(asked: { receipt_id: string; size?: number | undefined }) {
    const { entry } = await this.#receiptOf(asked.receipt_id)
    const index = await this.#indexOf(entry)
    const { size, root, note } = await this.#treeOf(asked.size)
    if (index >= size) throw notYet(`the tree of ${size} leaves does not have it`)
    const path = await this.#prover.inclusion(index, size)
    return {
      leaf_index: index,
      tree_size: size,
      root: hex(root),
      path: path.map(hex),
      entry: hex(entry),
      checkpoint: note,
    }
  }

  /** The proof that the tree of `to` leaves, or the latest one, begins with that of `from`. */
  async consistency({ from, to }: { from: number; to?: number | undefined }) {
    if (to !== undefined && from > to)
      throw refuse('invalid_request', {
        detail: `a tree of ${to} leaves cannot begin with one of ${from}`,
        next_action: 'Name the smaller tree in from, and the larger one in to.',
        errors: [{ pointer: '/from', message: 'is more than to' }],
      })
    const after = await this.#treeOf(to)
    const before = await this.#treeOf(from)
    if (from > after.size) throw noSuchTree(from)
    const { size, root, note } = after
    const path = await this.#prover.consistency(from, size)
    return {
      from,
      to: size,
      from_root: hex(before.root),
      root: hex(root),
      path: path.map(hex),
      checkpoint: note,
    }
  }

  /** A receipt with all that proves it offline: its place in the log, the signed checkpoint and the history of keys. */
  async bundle({ receipt_id }: { receipt_id: string }) {
    const { jws, entry } = await this.#receiptOf(receipt_id)
    const index = await this.#indexOf(entry)
    const row = await this.#bestFor(index)
    const path = await this.#prover.inclusion(index, row.size)
    const keys = await listPublicKeys(this.#db)
    const proof = {
      receipt: jws,
      entry: hex(entry),
      leaf_index: index,
      tree_size: row.size,
      root: hex(row.root),
      path: path.map(hex),
      checkpoint: await this.#noteOf(row),
    }
    const { kid, size, cose_signature: signature } = row
    const logKey = await findKey(this.#db, kid)
    return {
      receipt_id,
      ...proof,
      log_key: logKey === undefined ? null : verifierKey(noteKeyOf(row.origin, logKey.public_jwk)),
      tlog_proof: proofFile(proof),
      cose_receipt: Buffer.from(coseReceipt({ kid, size, index, path, signature })).toString(
        'base64url',
      ),
      keys: keys.filter(({ ring }) => ring === 'receipt' || ring === 'log').map(publishedKey),
    }
  }

  /** The latest checkpoint with a cosignature that has the leaf, else the latest of all. */
  async #bestFor(index: number): Promise<CheckpointRow> {
    const names = this.#witnesses.map(({ key }) => key.name)
    const cosigned = names.length === 0 ? undefined : await findCosigned(this.#db, names, index)
    return cosigned ?? this.#latest()
  }

  async #noteOf({ note, size }: CheckpointRow): Promise<string> {
    if (this.#witnesses.length === 0) return note
    const lines = (await listCosignatures(this.#db, size)).map(({ line }) => line.trimEnd())
    const shown = lines.filter((line) => this.#witnesses.some((witness) => isOf(line, witness)))
    return note + shown.map((line) => `${line}\n`).join('')
  }

  async #receiptOf(receipt_id: string): Promise<{ jws: string; entry: Buffer }> {
    const row = await findReceipt(this.#db, { receipt_id })
    if (row === undefined)
      throw refuse('not_found', {
        detail: 'the receipt is not in this log',
        next_action:
          'Check the id. A receipt that was lost in a restore still verifies by its signature.',
      })
    return { jws: row.jws, entry: Buffer.from(entryOf(row.jws)) }
  }

  async #indexOf(entry: Buffer): Promise<number> {
    const index = await findLeaf(this.#db, entry)
    if (index === undefined) throw notYet('the receipt waits for its place in the log')
    return index
  }

  async #latest(): Promise<CheckpointRow> {
    const row = await findCheckpoint(this.#db)
    if (row === undefined) throw notYet('the log has no checkpoint')
    return row
  }

  /** A tree that the log has reached; its checkpoint is null where none was signed at that size. */
  async #treeOf(size?: number): Promise<{ size: number; root: Uint8Array; note: string | null }> {
    const latest = await this.#latest()
    if (size === undefined || size === latest.size) return latest
    if (size > latest.size) throw noSuchTree(size)
    const row = await findCheckpoint(this.#db, size)
    return row ?? { size, root: await this.#prover.rootAt(size), note: null }
  }
}

const noSuchTree = (size: number) =>
  refuse('not_found', {
    detail: `the log has no tree of ${size} leaves`,
    next_action: 'Ask for trees that the log has reached, the smaller one first.',
  })

const notYet = (detail: string) =>
  refuse('not_ready', {
    detail,
    next_action: 'Repeat the call in a second.',
    retry_after_ms: 1_000,
  })

/** Whether a line names the key of this witness; it was verified before it was stored. */
function isOf(line: string, { key }: WitnessSetting): boolean {
  const parsed = parseSignatureLine(line)
  return parsed !== undefined && parsed.name === key.name && isSame(parsed.id, noteKeyId(key))
}
