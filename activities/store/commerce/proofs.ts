import { type Insertable, type Selectable, sql } from 'kysely'
import type { MissionKind } from '#domain/commerce/missions.ts'
import type { ReferenceRow } from '../payments/payment-references.ts'
import type { Tx } from '../postgres/db.ts'
import { COUNTED_MAX, changeRow, countOf, findRow, lockRow } from '../postgres/rows.ts'
import { type Reviewed, reviewedAs } from '../reviews/review-decisions.ts'
import { waitingRows } from '../reviews/waiting.ts'
import type { Database } from '../schema/schema.ts'

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

export const findCommerceProof = (tx: Tx, proofId: string) =>
  findRow(tx, 'commerce_proofs', { proof_id: proofId })

export const lockCommerceProof = (tx: Tx, proofId: string) =>
  lockRow(tx, 'commerce_proofs', { proof_id: proofId })

/** A package that is to be proven; `agentId` is missing for a caller without an access key. */
export type ProvenPackage = {
  packageSha256: string
  missionSha256: string
  agentId: string | undefined
  /** Only this agent can name the package. */
  isOwn: boolean
}

/** Whether a proof saw the contents of its package, and is not one of a sandbox agent. */
const sawContents = sql<boolean>`exists (select from json_array_elements(packet->'checks') c
    where c->>'check' = 'hashes' and c->>'outcome' = 'passed')
  and not exists (select from agents a where a.agent_id = commerce_proofs.agent_id and a.sandbox)`

/**
 * The earliest other proof of a package. The same mission of the same agent is none as long as it did not get through and was not
 * rejected; a proof without an agent counts against other callers without one alone. One of another caller counts only if it saw the
 * contents, and never one of a sandbox agent.
 */
export async function findDuplicate(
  tx: Tx,
  { packageSha256, missionSha256, agentId, isOwn }: ProvenPackage,
): Promise<Pick<CommerceProofRow, 'proof_id' | 'agent_id'> | undefined> {
  const query = tx
    .selectFrom('commerce_proofs')
    .select(['proof_id', 'agent_id'])
    .where('package_sha256', '=', packageSha256)
    .orderBy('evaluated_at')
    .limit(1)
  if (agentId === undefined) return query.where(sawContents).executeTakeFirst()
  return query
    .where('agent_id', isOwn ? '=' : 'is not', isOwn ? agentId : null)
    .where(sql<boolean>`(agent_id = ${agentId} or (${sawContents}))`)
    .where(
      sql<boolean>`not (agent_id = ${agentId} and mission_sha256 = ${missionSha256}
        and decision <> 'eligible_to_continue' and coalesce(review_state, 'waiting') = 'waiting')`,
    )
    .executeTakeFirst()
}

/** The earliest proof with which this agent got through for the record that its mission id names. */
export async function findProofOfMission(
  tx: Tx,
  { kind, missionId, agentId }: { kind: MissionKind; missionId: string; agentId: string },
): Promise<Pick<CommerceProofRow, 'proof_id'> | undefined> {
  return tx
    .selectFrom('commerce_proofs')
    .select('proof_id')
    .where('agent_id', '=', agentId)
    .where('mission_kind', '=', kind)
    .where(sql<boolean>`request->'mission'->>'mission_id' = ${missionId}`)
    .where(sql<boolean>`(decision = 'eligible_to_continue' or review_state = 'approved')`)
    .orderBy('evaluated_at')
    .orderBy('proof_id')
    .limit(1)
    .executeTakeFirst()
}

/** Other proofs of a package, the oldest first. */
export async function listOthersOf(
  tx: Tx,
  { proof_id, package_sha256 }: Pick<CommerceProofRow, 'proof_id' | 'package_sha256'>,
): Promise<Pick<CommerceProofRow, 'proof_id' | 'decision'>[]> {
  return tx
    .selectFrom('commerce_proofs')
    .select(['proof_id', 'decision'])
    .where('package_sha256', '=', package_sha256)
    .where('proof_id', '<>', proof_id)
    .orderBy('evaluated_at')
    .limit(20)
    .execute()
}

/** How many proofs of an agent wait for a person. */
export async function countWaitingOf(tx: Tx, agentId: string): Promise<number> {
  return countOf(
    tx
      .selectFrom('commerce_proofs')
      .where('agent_id', '=', agentId)
      .where('review_state', '=', 'waiting'),
  )
}

/** A payment, and the mission that it is to carry; `workId` is the return package, work order or pilot of its own tasks. */
export type CarriedMission = Pick<ReferenceRow, 'payment_reference_id' | 'entitlement_id'> & {
  missionSha256: string
  workId: string | undefined
}

/**
 * Whether a proof of another mission rests on this payment; one that was held rests on none. Credit of several units pays for several
 * runs, so another run of this credit, or a work order or pilot with such a run, is no other use of it.
 */
export async function isPaymentUsed(
  tx: Tx,
  { payment_reference_id, entitlement_id, missionSha256, workId = '' }: CarriedMission,
): Promise<boolean> {
  const used = await tx
    .selectFrom('commerce_proofs')
    .select('proof_id')
    .where('payment_reference_id', '=', payment_reference_id)
    .where('mission_sha256', '<>', missionSha256)
    .where('decision', '<>', 'payment_hold')
    .where(
      sql<boolean>`not exists (
        select from tasks t where t.entitlement_id = ${entitlement_id} and (
          exists (select from runs join return_packages r using (run_id) where runs.task_id = t.task_id
            and r.return_package_id = commerce_proofs.request->'return_package'->>'return_package_id'
            and r.return_package_id <> ${workId})
          or exists (select from work_order_tasks w where w.task_id = t.task_id
            and commerce_proofs.mission_kind = 'work_order_delivery'
            and w.work_order_id = commerce_proofs.request->'mission'->>'mission_id' and w.work_order_id <> ${workId})
          or exists (select from pilot_runs p where p.task_id = t.task_id and commerce_proofs.mission_kind = 'pilot_delivery'
            and p.pilot_id = commerce_proofs.request->'mission'->>'mission_id' and p.pilot_id <> ${workId})))`,
    )
    .limit(1)
    .executeTakeFirst()
  return used !== undefined
}

/** Stores what an operator decided about a locked proof that waits. */
export const reviewCommerceProof = (tx: Tx, proofId: string, reviewed: Reviewed) =>
  changeRow(tx, 'commerce_proofs', { proof_id: proofId }, reviewedAs(reviewed))

/** Proofs that wait for a person. */
export const waitingProofs = waitingRows('commerce_proofs', {
  key: 'proof_id',
  state: ['review_state', 'waiting'],
  since: 'evaluated_at',
})

/** The newest `COUNTED_MAX` proofs by decision, as it stands after the reviews. */
export async function countDecisions(tx: Tx): Promise<Record<string, number>> {
  const { rows } = await sql<{ decision: string; count: number }>`
    select case when review_state = 'approved' then 'eligible_to_continue' else decision end as decision, count(*)::int as count
    from (select * from commerce_proofs order by evaluated_at desc limit ${COUNTED_MAX}) newest
    group by 1 order by 1`.execute(tx)
  return Object.fromEntries(rows.map(({ decision, count }) => [decision, count]))
}
