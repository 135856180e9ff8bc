import { sql } from 'kysely'
import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import { type Prompt, promptDigest } from '#domain/drafts/prompt.ts'
import type { Drafts, ModelOutput } from '#domain/rails/drafts/draft.ts'
import type { DraftedRound } from '../../../workflows/runs/activities.ts'
import type { Tx } from '../postgres/db.ts'
import { findValue, insertOnce, now } from '../postgres/rows.ts'

/** One call, and one more if its process died before the answer was stored. */
const ATTEMPTS_MAX = 2

/** Stores what a subject will ask; a prompt that was asked before stays as it is. */
export async function insertModelCalls(
  tx: Tx,
  subject: string,
  prompts: readonly Prompt[],
): Promise<void> {
  if (prompts.length === 0) return
  await tx
    .insertInto('model_calls')
    .values(
      prompts.map((prompt) => ({
        subject,
        prompt_sha256: prompt.sha256,
        prompt: JSON.stringify(prompt),
        output: null,
        output_sha256: null,
        answered_at: null,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Whether the prompts of a subject are stored. */
export async function hasModelCalls(tx: Tx, subject: string): Promise<boolean> {
  const { rows } = await sql`select from model_calls where subject = ${subject} limit 1`.execute(tx)
  return rows.length > 0
}

type Begun = { prompt: Prompt } | { output: ModelOutput } | 'no_attempt_left'

/** Locks a call and counts an attempt at it; its stored output where there is one. */
export async function beginModelCall(
  tx: Tx,
  subject: string,
  promptSha256: string,
): Promise<Begun> {
  const row = await tx
    .selectFrom('model_calls')
    .select(['prompt', 'output', 'attempts'])
    .where('subject', '=', subject)
    .where('prompt_sha256', '=', promptSha256)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (row.output !== null) return { output: row.output }
  if (row.prompt === null) throw new Error('a call without an output has its prompt')
  if (promptDigest(row.prompt) !== promptSha256)
    throw new Error('a prompt is not what its digest says')
  if (row.attempts === ATTEMPTS_MAX) return 'no_attempt_left'
  await tx
    .updateTable('model_calls')
    .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
    .where('subject', '=', subject)
    .where('prompt_sha256', '=', promptSha256)
    .execute()
  return { prompt: row.prompt }
}

/** Stores the end of a call once, and drops the texts of its prompt. Returns the output that is stored. */
export async function endModelCall(
  tx: Tx,
  subject: string,
  output: ModelOutput,
): Promise<ModelOutput> {
  const text = canonicalJson(output)
  const { prompt_sha256 } = output
  await tx
    .updateTable('model_calls')
    .set({
      prompt: null,
      output: text,
      output_sha256: sha256Hex(text),
      answered_at: now,
    })
    .where('subject', '=', subject)
    .where('prompt_sha256', '=', prompt_sha256)
    .where('output', 'is', null)
    .execute()
  const stored = await tx
    .selectFrom('model_calls')
    .select('output')
    .where('subject', '=', subject)
    .where('prompt_sha256', '=', prompt_sha256)
    .executeTakeFirstOrThrow()
  return stored.output ?? output
}

/** The stored outputs of a subject by their digests, in a fixed order. */
export async function listModelOutputs(
  tx: Tx,
  subject: string,
): Promise<{ sha256: string; content: ModelOutput }[]> {
  const rows = await tx
    .selectFrom('model_calls')
    .select(['output', 'output_sha256'])
    .where('subject', '=', subject)
    .where('output', 'is not', null)
    .orderBy('prompt_sha256')
    .execute()
  return rows.flatMap(({ output, output_sha256 }) =>
    output === null || output_sha256 === null ? [] : [{ sha256: output_sha256, content: output }],
  )
}

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
