import { type Selectable, sql } from 'kysely'
import type { MissionKind } from '#domain/commerce/missions.ts'
import type { Tx } from '../postgres/db.ts'
import { COUNTED_MAX, countUpTo, findRow, insertRow, type NewRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ActivityRow = Selectable<Database['commerce_activity']>
type ConsentRow = Selectable<Database['commerce_consents']>

/** The latest consent to the publication of a proof, with its receipt. */
export async function findConsent(
  tx: Tx,
  proofId: string,
): Promise<(ConsentRow & { jws: string }) | undefined> {
  return tx
    .selectFrom('commerce_consents')
    .innerJoin('receipts', 'receipts.receipt_id', 'commerce_consents.receipt_id')
    .selectAll('commerce_consents')
    .select('receipts.jws')
    .where('proof_id', '=', proofId)
    .orderBy('commerce_consents.seq', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export const insertConsent = (tx: Tx, consent: NewRow<'commerce_consents'>) =>
  insertRow(tx, 'commerce_consents', consent)

export const findActivity = (tx: Tx, proofId: string) =>
  findRow(tx, 'commerce_activity', { proof_id: proofId })

export type ActivityFilter = {
  agentId?: string | undefined
  missionKind?: MissionKind | undefined
  /** Published at or after it. */
  since?: Date | undefined
}

/** A kind is looked for among the newest `COUNTED_MAX` that the other filters take. */
function filtered(tx: Tx, { agentId, missionKind, since }: ActivityFilter) {
  const all = tx
    .selectFrom('commerce_activity')
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', String(agentId)))
    .$if(since !== undefined, (query) => query.where('published_at', '>=', since as Date))
  if (missionKind === undefined) return all
  const newest = all.selectAll().orderBy('published_at', 'desc').orderBy('proof_id')
  return tx
    .selectFrom(newest.limit(COUNTED_MAX).as('commerce_activity'))
    .where('mission_kind', '=', missionKind)
}

/** A page of what is published, the newest first. */
export async function listActivity(
  tx: Tx,
  filter: ActivityFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<ActivityRow[]> {
  return filtered(tx, filter)
    .selectAll()
    .orderBy('published_at', 'desc')
    .orderBy('proof_id')
    .offset(offset)
    .limit(limit)
    .execute()
}

/** How much is published, up to `COUNTED_MAX`. */
export function countActivity(tx: Tx, filter: ActivityFilter): Promise<number> {
  return countUpTo(tx, filtered(tx, filter))
}

export type ReliabilityRow = {
  agent_id: string
  published: number
  synthetic: number
  eligible_to_continue: number
  human_review_required: number
  payment_hold: number
  first_published_at: Date
  last_published_at: Date
}

/** What each of these agents published of work that is on record here, in numbers: of its newest `COUNTED_MAX` proofs. A free proof is no work. */
export async function readReliability(
  tx: Tx,
  agentIds: readonly string[],
): Promise<ReliabilityRow[]> {
  const { rows } = await sql<ReliabilityRow>`
    select agent_id, count(*)::int as published,
      (count(*) filter (where usage = 'synthetic'))::int as synthetic,
      (count(*) filter (where decision = 'eligible_to_continue'))::int as eligible_to_continue,
      (count(*) filter (where decision = 'human_review_required'))::int as human_review_required,
      (count(*) filter (where decision = 'payment_hold'))::int as payment_hold,
      min(published_at) as first_published_at, max(published_at) as last_published_at
    from unnest(${[...agentIds]}::text[]) a(id)
      cross join lateral (select proof_id from commerce_proofs where agent_id = a.id
        order by evaluated_at desc limit ${COUNTED_MAX}) newest
      join commerce_activity using (proof_id)
    where usage <> 'unspecified' and mission_kind <> 'free_proof' group by agent_id order by agent_id`.execute(
    tx,
  )
  return rows
}
