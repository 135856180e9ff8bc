import type { Selectable } from 'kysely'
import type { SubjectKind } from '../../workflows/domain/review.ts'
import type { ReviewDecisionsTable } from './agent-tables.ts'
import type { Tx } from './db.ts'

export type ReviewDecisionRow = Omit<Selectable<ReviewDecisionsTable>, 'seq'>

/** Appends a decision; a subject is decided about once for each time that it waited. */
export async function insertDecision(tx: Tx, decision: ReviewDecisionRow): Promise<void> {
  const { limits, evidence_seen_sha256, ...row } = decision
  await tx
    .insertInto('review_decisions')
    .values({
      ...row,
      limits: limits === null ? null : JSON.stringify(limits),
      evidence_seen_sha256: JSON.stringify(evidence_seen_sha256),
    })
    .execute()
}

/** The latest decision about a subject. */
export async function latestDecision(
  tx: Tx,
  subject: { kind: SubjectKind; id: string },
): Promise<ReviewDecisionRow | undefined> {
  return tx
    .selectFrom('review_decisions')
    .selectAll()
    .where('subject_kind', '=', subject.kind)
    .where('subject_id', '=', subject.id)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
}
