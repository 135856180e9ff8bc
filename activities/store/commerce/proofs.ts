import { type Insertable, type Selectable, sql } from 'kysely'
import { noAmount, waitingAs } from '../console/waiting-filter.ts'
import type { Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'
import type { ReviewFilter } from '../tasks/review-decisions.ts'

export type CommerceProofRow = Selectable<Database['commerce_proofs']>
export type NewCommerceProof = Omit<
  Insertable<Database['commerce_proofs']>,
  'review_decision_id' | 'reviewed_at'
>

export async function insertCommerceProof(
  tx: Tx,
  proof: NewCommerceProof,
): Promise<CommerceProofRow> {
  return tx.insertInto('commerce_proofs').values(proof).returningAll().executeTakeFirstOrThrow()
}

export async function findCommerceProof(
  tx: Tx,
  proofId: string,
): Promise<CommerceProofRow | undefined> {
  return tx
    .selectFrom('commerce_proofs')
    .selectAll()
    .where('proof_id', '=', proofId)
    .executeTakeFirst()
}

/** The row, locked for the rest of the transaction. */
export async function lockCommerceProof(
  tx: Tx,
  proofId: string,
): Promise<CommerceProofRow | undefined> {
  return tx
    .selectFrom('commerce_proofs')
    .selectAll()
    .where('proof_id', '=', proofId)
    .forUpdate()
    .executeTakeFirst()
}

type Earlier = Pick<
  CommerceProofRow,
  'proof_id' | 'agent_id' | 'mission_sha256' | 'decision' | 'review_state'
>

/**
 * The earlier proofs of a package, the oldest first. `by` leaves those of agents, or those of one agent: a package that only its agent can
 * name has no other.
 */
export async function listProofsOf(
  tx: Tx,
  packageSha256: string,
  by: 'anyone' | 'agents',
): Promise<Earlier[]> {
  return tx
    .selectFrom('commerce_proofs')
    .select(['proof_id', 'agent_id', 'mission_sha256', 'decision', 'review_state'])
    .where('package_sha256', '=', packageSha256)
    .$if(by === 'agents', (query) => query.where('agent_id', 'is not', null))
    .orderBy('evaluated_at')
    .limit(100)
    .execute()
}

/** Whether a proof of another mission rests on this payment; one that was held rests on none. */
export async function isPaymentUsed(
  tx: Tx,
  referenceId: string,
  missionSha256: string,
): Promise<boolean> {
  const used = await tx
    .selectFrom('commerce_proofs')
    .select('proof_id')
    .where('payment_reference_id', '=', referenceId)
    .where('mission_sha256', '<>', missionSha256)
    .where('decision', '<>', 'payment_hold')
    .limit(1)
    .executeTakeFirst()
  return used !== undefined
}

/** Stores what an operator decided about a locked proof that waits. */
export async function reviewCommerceProof(
  tx: Tx,
  proofId: string,
  reviewed: { state: 'approved' | 'rejected'; decisionId: string },
): Promise<CommerceProofRow> {
  return tx
    .updateTable('commerce_proofs')
    .set({
      review_state: reviewed.state,
      review_decision_id: reviewed.decisionId,
      reviewed_at: sql<Date>`clock_timestamp()`,
    })
    .where('proof_id', '=', proofId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

const waiting = (tx: Tx, { subjectId, state, rail, ...waits }: ReviewFilter) =>
  tx
    .selectFrom('commerce_proofs')
    .where(sql<boolean>`review_state = ${state ?? 'waiting'}`)
    .where(waitingAs(waits, { since: 'evaluated_at', amount: noAmount }))
    .$if(subjectId !== undefined, (query) => query.where('proof_id', '=', String(subjectId)))
    .$if(rail !== undefined, (query) => query.where(sql<boolean>`false`))

/** Proofs that wait for a person, longest waiting first. */
export async function listWaitingProofs(
  tx: Tx,
  filter: ReviewFilter,
  most: number,
): Promise<CommerceProofRow[]> {
  return waiting(tx, filter).selectAll().orderBy('evaluated_at').limit(most).execute()
}

export async function countWaitingProofs(tx: Tx, filter: ReviewFilter): Promise<number> {
  const { count } = await waiting(tx, filter)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** The number of proofs by decision, as it stands after the reviews. */
export async function countDecisions(tx: Tx): Promise<Record<string, number>> {
  const { rows } = await sql<{ decision: string; count: number }>`
    select case when review_state = 'approved' then 'eligible_to_continue' else decision end as decision, count(*)::int as count
    from commerce_proofs group by 1 order by 1`.execute(tx)
  return Object.fromEntries(rows.map(({ decision, count }) => [decision, count]))
}
