import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import {
  type Checkpoint,
  NOTE_ED25519,
  openCheckpoint,
  parseCheckpointText,
  parseNote,
} from '../log/checkpoint.ts'
import { leafHash, verifyInclusion } from '../log/merkle.ts'
import { type Reason, reasons } from './reasons.ts'
import { findKeys, type KeySet } from './signed.ts'
import { bytesIn } from './strict-json.ts'
import type { Verdict } from './verdict.ts'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** A receipt with the proof of its place in the log, as `/api/receipts/{id}/bundle` answers it; its own keys are not trusted. */
export const Bundle = z.looseObject({
  receipt: z.string(),
  entry: Hash,
  leaf_index: z.int().min(0),
  tree_size: z.int().min(0),
  root: Hash,
  path: z.array(Hash).max(63),
  checkpoint: z.string(),
})
type Bundle = z.output<typeof Bundle>

/** The verdict on a bundle, from the one on its receipt. */
export function judgeBundle(bundle: Bundle, receipt: Verdict, keys: KeySet): Verdict {
  const verdict: Verdict = { ...receipt, kind: 'receipt_bundle' }
  if (verdict.verdict === 'invalid') return verdict
  const fault = logFault(bundle, keys)
  if (fault === undefined) {
    const detail = `leaf ${bundle.leaf_index} of ${bundle.tree_size}`
    return { ...verdict, checks: [...verdict.checks, { check: 'log', ok: true, detail }] }
  }
  const failed = { check: fault, ok: false, detail: reasons[fault] }
  const isOpen = fault === 'log_key_revoked'
  return {
    ...verdict,
    verdict: isOpen ? 'indeterminate' : 'invalid',
    reasons: [fault],
    checks: [...verdict.checks, failed],
  }
}

function logFault(bundle: Bundle, keys: KeySet): Reason | undefined {
  const opened = signedCheckpoint(bundle.checkpoint, keys)
  if (typeof opened === 'string') return opened
  const { checkpoint, revoked } = opened
  const entry = sha256(utf8ToBytes(bundle.receipt))
  const { size, root } = checkpoint
  const agrees =
    bytesToHex(entry) === bundle.entry &&
    size === bundle.tree_size &&
    bytesToHex(root) === bundle.root
  if (!agrees) return 'bundle_mismatch'
  const path = bundle.path.map(hexToBytes)
  const inclusion = { index: bundle.leaf_index, size, leaf: leafHash(entry), path }
  if (!verifyInclusion(inclusion, root)) return 'not_included'
  return revoked ? 'log_key_revoked' : undefined
}

/** A checkpoint that a log key of the set signed, or why it is none. */
function signedCheckpoint(
  text: string,
  keys: KeySet,
): { checkpoint: Checkpoint; revoked: boolean } | Reason {
  const note = parseNote(text)
  const origin = note && parseCheckpointText(note.text)?.origin
  if (origin === undefined) return 'malformed'
  let fault: Reason = 'log_key_unknown'
  for (const { x, revoked_at } of findKeys(keys, 'log')) {
    const key = { name: origin, type: NOTE_ED25519, key: bytesIn(x) ?? new Uint8Array() } as const
    const opened = openCheckpoint(text, key)
    if (opened.ok) return { checkpoint: opened.checkpoint, revoked: revoked_at !== null }
    if (opened.fault === 'bad_signature') fault = 'checkpoint_invalid'
  }
  return fault
}
