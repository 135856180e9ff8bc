import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import type { Drafts } from '#domain/rails/drafts/draft.ts'
import type { DraftedRound } from '../../../workflows/runs/activities.ts'
import type { Tx } from '../postgres/db.ts'
import { findValue, insertOnce } from '../postgres/rows.ts'

/** Stores the drafts of a round once. */
export async function insertRunDrafts(
  tx: Tx,
  { runId, attempt, round }: DraftedRound,
  drafts: Drafts,
): Promise<void> {
  const text = canonicalJson(drafts)
  await insertOnce(tx, 'run_drafts', {
    run_id: runId,
    attempt,
    round,
    drafts: text,
    drafts_sha256: sha256Hex(text),
  })
}

export const findRunDrafts = (tx: Tx, { runId, attempt, round }: DraftedRound) =>
  findValue(tx, 'run_drafts', { run_id: runId, attempt, round }, 'drafts')
