import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type NoteKey, openCheckpoint } from './checkpoint.ts'
import { leafHash, verifyInclusion } from './merkle.ts'

/** A receipt with the proof of its place in the log; hashes in lower-case hex. */
export type ReceiptBundle = {
  receipt: string
  entry: string
  leaf_index: number
  tree_size: number
  root: string
  path: readonly string[]
  checkpoint: string
}

/** Why a bundle proves nothing; the faults of a checkpoint are those of `openCheckpoint`. */
type BundleFault =
  | 'malformed'
  | 'other_origin'
  | 'unknown_key'
  | 'bad_signature'
  | 'other_entry'
  | 'other_checkpoint'
  | 'not_included'

/**
 * The entry of a receipt in the log: the SHA-256 of the SHA-256 of its compact JWS. The inner digest is the receipt's id, by which
 * the receipt is read: who reads the log learns no id.
 */
export const entryOf = (jws: string): Uint8Array => sha256(sha256(utf8ToBytes(jws)))

/** Holds the proof of a bundle against a log key that was known before; the signature of the receipt is not looked at. */
export function checkBundle(bundle: ReceiptBundle, key: NoteKey): BundleFault | undefined {
  const opened = openCheckpoint(bundle.checkpoint, key)
  if (!opened.ok) return opened.fault
  const { size, root } = opened.checkpoint
  const entry = entryOf(bundle.receipt)
  if (bytesToHex(entry) !== bundle.entry) return 'other_entry'
  if (size !== bundle.tree_size || bytesToHex(root) !== bundle.root) return 'other_checkpoint'
  if (bundle.path.length > 63 || !bundle.path.every((hash) => /^[0-9a-f]{64}$/.test(hash)))
    return 'malformed'
  const path = bundle.path.map(hexToBytes)
  const inclusion = { index: bundle.leaf_index, size, leaf: leafHash(entry), path }
  return verifyInclusion(inclusion, root) ? undefined : 'not_included'
}
