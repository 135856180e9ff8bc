import type { Selectable } from 'kysely'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

/** Which waiting subjects are listed. */
export type ReviewFilter = {
  subjectId?: string | undefined
  state?: string | undefined
  rail?: RailKey | undefined
}

export type ReviewDecisionRow = Omit<Selectable<Database['review_decisions']>, 'seq'>

/** Appends a decision. A subject has one decision for each time that it waited. */
export async function insertDecision(tx: Tx, decision: ReviewDecisionRow): Promise<void> {
  const { limits, evidence_seen_sha256, judgements, ...row } = decision
  await tx
    .insertInto('review_decisions')
    .values({
      ...row,
      limits: limits === null ? null : JSON.stringify(limits),
      evidence_seen_sha256: JSON.stringify(evidence_seen_sha256),
      judgements: JSON.stringify(judgements),
    })
    .execute()
}

/** A decision by its id; undefined if none has it. */
export async function findDecision(
  tx: Tx,
  decisionId: string,
): Promise<{ receipt_id: string } | undefined> {
  return tx
    .selectFrom('review_decisions')
    .select('receipt_id')
    .where('decision_id', '=', decisionId)
    .executeTakeFirst()
}
