import type { Selectable } from 'kysely'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { insertRow, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'
import type { WaitingFilter } from './waiting-filter.ts'

/** Which waiting subjects are listed. */
/** What an operator decided about a record that waited for it. */
export type Reviewed = { state: 'approved' | 'rejected'; decisionId: string }

/** The columns of a reviewed record. */
export const reviewedAs = ({ state, decisionId }: Reviewed) => ({
  review_state: state,
  review_decision_id: decisionId,
  reviewed_at: now,
})

export type ReviewFilter = WaitingFilter & {
  subjectId?: string | undefined
  state?: string | undefined
  rail?: RailKey | undefined
}

export type ReviewDecisionRow = Omit<Selectable<Database['review_decisions']>, 'seq'>

type DecisionAbout = Pick<
  ReviewDecisionRow,
  'decision_id' | 'subject_kind' | 'decision' | 'operator_name' | 'receipt_id' | 'decided_at'
>

/** Appends a decision. A subject has one decision for each time that it waited. */
export async function insertDecision(tx: Tx, decision: ReviewDecisionRow): Promise<void> {
  const { limits, evidence_seen_sha256, judgements, ...row } = decision
  await insertRow(tx, 'review_decisions', {
    ...row,
    limits: limits === null ? null : JSON.stringify(limits),
    evidence_seen_sha256: JSON.stringify(evidence_seen_sha256),
    judgements: JSON.stringify(judgements),
  })
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

/** Whether there is a decision about this wait of a subject, or about evidence with one of these roots. */
export async function isDecided(
  tx: Tx,
  wait: {
    subject_kind: ReviewDecisionRow['subject_kind']
    subject_id: string
    since: Date | undefined
    roots: readonly string[]
  },
): Promise<boolean> {
  const { since, roots } = wait
  const decided = await tx
    .selectFrom('review_decisions')
    .select('decision_id')
    .where('subject_kind', '=', wait.subject_kind)
    .where('subject_id', '=', wait.subject_id)
    .where(({ eb, or }) =>
      or([
        eb('evidence_root_sha256', 'in', [...roots]),
        ...(since === undefined ? [] : [eb('waiting_since', '=', since)]),
      ]),
    )
    .executeTakeFirst()
  return decided !== undefined
}

/** The decisions about these subjects, the oldest first. */
export function listDecisionsAbout(
  tx: Tx,
  subjectIds: readonly string[],
): Promise<DecisionAbout[]> {
  return tx
    .selectFrom('review_decisions')
    .select(['decision_id', 'subject_kind', 'decision', 'operator_name'])
    .select(['receipt_id', 'decided_at'])
    .where('subject_id', 'in', [...subjectIds])
    .orderBy('seq')
    .execute()
}
