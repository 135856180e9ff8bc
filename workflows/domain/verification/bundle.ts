import { z } from 'zod'
import { bytesIn } from '../core/strict-json.ts'
import { checkBundle } from '../log/bundle.ts'
import { NOTE_ED25519, parseCheckpointText, parseNote } from '../log/checkpoint.ts'
import type { KeySet } from '../receipts/key-set.ts'
import type { Reason } from './reasons.ts'
import { findKeys } from './signed.ts'
import { type Verdict, withFailed, withHeld } from './verdict.ts'

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
    return withHeld(verdict, 'log', detail)
  }
  const as = fault === 'log_key_revoked' ? 'indeterminate' : 'invalid'
  return { ...withFailed(verdict, as, fault), reasons: [fault] }
}

/** Why the log proves nothing; a wrong signature by one key of the set leaves the others to be tried. */
function logFault(bundle: Bundle, keys: KeySet): Reason | undefined {
  const note = parseNote(bundle.checkpoint)
  const name = note && parseCheckpointText(note.text)?.origin
  if (name === undefined) return 'malformed'
  let fault: Reason = 'log_key_unknown'
  for (const { x, activated_at, revoked_at } of findKeys(keys, 'log')) {
    if (activated_at === null) continue
    const key = { name, type: NOTE_ED25519, key: bytesIn(x) ?? new Uint8Array() } as const
    const found = checkBundle(bundle, key)
    if (found === undefined) return revoked_at === null ? undefined : 'log_key_revoked'
    if (found === 'bad_signature') fault = 'checkpoint_invalid'
    else if (found !== 'unknown_key') return faultOf[found]
  }
  return fault
}

const faultOf = {
  malformed: 'malformed',
  other_origin: 'malformed',
  other_entry: 'bundle_mismatch',
  other_checkpoint: 'bundle_mismatch',
  not_included: 'not_included',
} as const satisfies Record<string, Reason>
