import { type Selectable, sql } from 'kysely'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow, insertRow, type NewRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type AnalysisRow = Selectable<Database['evidence_analyses']>

export const insertAnalysis = (tx: Tx, analysis: NewRow<'evidence_analyses'>) =>
  insertRow(tx, 'evidence_analyses', analysis)

export const insertRelay = (tx: Tx, relay: NewRow<'proof_relays'>) =>
  insertRow(tx, 'proof_relays', relay)

export const findAnalysis = (tx: Tx, analysisId: string) =>
  findRow(tx, 'evidence_analyses', { analysis_id: analysisId })

/** Who asks a model: one caller, by what names it, of all agents or of all callers without an access key. */
export type ModelCaller = { readonly name: string; readonly group: 'agents' | 'anonymous' }

/**
 * Counts calls of a model for this UTC day against their caller and against all of its group, exactly under concurrency; false where
 * either has not so many left. The caller rolls back after false.
 */
export async function reserveModelCalls(
  tx: Tx,
  { name, group }: ModelCaller,
  { calls, perCaller, inAll }: { calls: number; perCaller: number; inAll: number },
): Promise<boolean> {
  await sql`delete from analysis_calls where day < (clock_timestamp() at time zone 'utc')::date`.execute(
    tx,
  )
  const count = async (scope: string, most: number): Promise<boolean> => {
    if (calls > most) return false
    const { rows } = await sql`
      insert into analysis_calls (day, scope, calls)
        values ((clock_timestamp() at time zone 'utc')::date, ${scope}, ${calls})
      on conflict (day, scope) do update set calls = analysis_calls.calls + excluded.calls
        where analysis_calls.calls + excluded.calls <= ${most}
      returning calls`.execute(tx)
    return rows.length > 0
  }
  return (await count(scopeOf(name), perCaller)) && (await count(group, inAll))
}

/** The calls of this UTC day that are counted against a caller. */
export async function countModelCalls(
  tx: Tx,
  { name }: Pick<ModelCaller, 'name'>,
): Promise<number> {
  const { rows } = await sql<{ calls: number }>`
    select calls from analysis_calls
      where day = (clock_timestamp() at time zone 'utc')::date and scope = ${scopeOf(name)}`.execute(
    tx,
  )
  return rows[0]?.calls ?? 0
}

const scopeOf = (name: string): string => `caller:${sha256Hex(name)}`
