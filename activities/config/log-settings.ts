import { z } from 'zod'
import { NOTE_COSIGNATURE, type NoteKey, parseVerifierKey } from '#domain/log/checkpoint.ts'
import { isContinuations } from '#domain/log/origin.ts'
import { atLeast, list } from './setting-kinds.ts'

/** A witness: its key, and where checkpoints are sent to it; without a URL none are. */
export type WitnessSetting = { key: NoteKey; url: string | null }

/** Reads `<verifier key>` or `<verifier key> <URL>`. */
function witnessOf(text: string, context: z.RefinementCtx): WitnessSetting {
  const [vkey = '', url = null, ...more] = text.split(/\s+/)
  const key = parseVerifierKey(vkey)
  const isUrl = url === null || /^https?:\/\/[^\s?#]+[^/]$/.test(url)
  if (key?.type === NOTE_COSIGNATURE && isUrl && more.length === 0) return { key, url }
  context.addIssue({
    code: 'custom',
    message: 'is no verifier key of an Ed25519 cosigner with a URL without a trailing slash',
  })
  return { key: { name: '', type: NOTE_COSIGNATURE, key: new Uint8Array() }, url }
}

/** The transparency log: how often it is written, and its witnesses. */
export const logSettings = {
  LOG_EVERY_MS: atLeast(1, 250).describe(
    'between two looks for receipts that wait for their place in the transparency log; with the time of a batch, at most a second',
  ),
  LOG_CONTINUES: z
    .string()
    .refine(isContinuations, {
      error: 'is not RESTORED-WITNESSED-SHA256 for each restore, as restore-check prints it',
    })
    .default('')
    .describe(
      'after a restore to an earlier point, how the transparency log continues under a new origin, as `restore-check` prints it; the same for the signer and all workers',
    ),
  LOG_WITNESSES: list
    .pipe(z.array(z.string().transform(witnessOf)))
    .default([])
    .describe(
      'witnesses of the transparency log whose cosignatures are shown, each as its verifier key and, after a space, the URL before add-checkpoint; empty: none',
    ),
}
