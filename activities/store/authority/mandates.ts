import { type Insertable, type Selectable, sql } from 'kysely'
import type { MandateTerms } from '#domain/authority/artifacts.ts'
import type { Tx } from '../postgres/db.ts'
import {
  COUNTED_MAX,
  findRow,
  insertOnce,
  lockRow,
  now,
  requireRow,
  upTo,
} from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type AuthorityMandateRow = Selectable<Database['authority_mandates']>
export type DraftRow = Selectable<Database['authority_drafts']>

/** Stores a draft under its digest and returns the stored one; a repeat prolongs it. */
export async function storeDraft(
  tx: Tx,
  draftId: string,
  terms: MandateTerms,
  hours: number,
): Promise<DraftRow> {
  const expires_at = sql<Date>`clock_timestamp() + ${hours} * interval '1 hour'`
  return tx
    .insertInto('authority_drafts')
    .values({ draft_id: draftId, terms: JSON.stringify(terms), expires_at })
    .onConflict((conflict) => conflict.column('draft_id').doUpdateSet({ expires_at }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A draft that has not expired. */
export async function findDraft(tx: Tx, draftId: string): Promise<DraftRow | undefined> {
  return tx
    .selectFrom('authority_drafts')
    .selectAll()
    .where('draft_id', '=', draftId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

export async function removeExpiredDrafts(tx: Tx): Promise<void> {
  await tx.deleteFrom('authority_drafts').where('expires_at', '<', now).execute()
}

/** Stores a mandate under its id and returns the stored one, which is the first for a repeat. */
export async function storeAuthorityMandate(
  tx: Tx,
  mandate: Insertable<Database['authority_mandates']>,
): Promise<AuthorityMandateRow> {
  await insertOnce(tx, 'authority_mandates', mandate)
  return requireRow(tx, 'authority_mandates', { mandate_id: mandate.mandate_id })
}

export const findAuthorityMandate = (tx: Tx, mandateId: string) =>
  findRow(tx, 'authority_mandates', { mandate_id: mandateId })

/** The mandate, locked until the transaction ends. It is locked before its grants and actions. */
export const lockAuthorityMandate = (tx: Tx, mandateId: string) =>
  lockRow(tx, 'authority_mandates', { mandate_id: mandateId })

/** The resources of the mandate under which this task was started; undefined for a task of no delegated action. */
export async function findResourcesOf(tx: Tx, taskId: string): Promise<string[] | undefined> {
  const { rows } = await sql<{ resources: string[] }>`
    select m.document->'resources' as resources from task_events t
      join delegated_actions a on a.operation_call_id = t.event_id and a.state <> 'refused' join authority_mandates m using (mandate_id)
    where t.task_id = ${taskId} and t.sequence = 1`.execute(tx)
  return rows[0]?.resources
}

/** Adds to the used totals of a locked mandate, or returns what a refused action or a workflow without a run had reserved. */
export async function addUse(
  tx: Tx,
  mandateId: string,
  { usd, actions }: { usd: number; actions: 1 | 0 | -1 },
): Promise<void> {
  await tx
    .updateTable('authority_mandates')
    .set((set) => ({
      used_usd: set('used_usd', '+', usd),
      used_actions: set('used_actions', '+', actions),
    }))
    .where('mandate_id', '=', mandateId)
    .execute()
}

/** Revokes a locked mandate and its unused grants; returns the number of these. */
export async function revokeAuthorityMandate(
  tx: Tx,
  { mandateId, by, reason }: { mandateId: string; by: string; reason: string },
): Promise<number> {
  await tx
    .updateTable('authority_mandates')
    .set({ revoked_at: now, revoked_by: by, revoke_reason: reason })
    .where('mandate_id', '=', mandateId)
    .where('revoked_at', 'is', null)
    .execute()
  const { numUpdatedRows } = await tx
    .updateTable('action_grants')
    .set({ state: 'revoked' })
    .where('mandate_id', '=', mandateId)
    .where('state', '=', 'issued')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export type AuthorityCounts = {
  active_mandates: number
  revoked_mandates: number
  grants_last_hour: number
}

/** The live counts of the control plane, each up to `COUNTED_MAX`. */
export async function countAuthority(tx: Tx): Promise<AuthorityCounts> {
  const { rows } = await sql<AuthorityCounts>`
    select (select count(*)::int from (select * from authority_mandates where revoked_at is null
        and expires_at > statement_timestamp() order by expires_at limit ${COUNTED_MAX}) live
        where used_actions < actions_max and (total_usd = 0 or used_usd < total_usd)) as active_mandates,
      ${upTo('select from authority_mandates where revoked_at is not null')} as revoked_mandates,
      ${upTo("select from action_grants where issued_at > statement_timestamp() - interval '1 hour'")} as grants_last_hour`.execute(
    tx,
  )
  return rows[0] ?? { active_mandates: 0, revoked_mandates: 0, grants_last_hour: 0 }
}
