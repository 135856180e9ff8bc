import type { Insertable, Selectable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { findRow, insertOnce, listRows, lockRow, requireRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type GrantRow = Selectable<Database['action_grants']>

/** Stores a grant under its id and returns the stored one, which is the first for a repeat. */
export async function storeGrant(
  tx: Tx,
  grant: Insertable<Database['action_grants']>,
): Promise<GrantRow> {
  await insertOnce(tx, 'action_grants', grant)
  return requireRow(tx, 'action_grants', { grant_id: grant.grant_id })
}

export const findGrant = (tx: Tx, grantId: string) =>
  findRow(tx, 'action_grants', { grant_id: grantId })

/** The grant, locked until the transaction ends. Its mandate is locked first. */
export const lockGrant = (tx: Tx, grantId: string) =>
  lockRow(tx, 'action_grants', { grant_id: grantId })

/** The grants of a mandate, newest first. */
export const listGrants = (tx: Tx, mandateId: string, most: number) =>
  listRows(tx, 'action_grants', { mandate_id: mandateId }, ['issued_at desc'], most)

/** Moves a locked grant; a refused action gives it back as `issued`, or as `revoked` where its mandate is. */
export async function moveGrant(tx: Tx, grantId: string, state: GrantRow['state']): Promise<void> {
  await tx.updateTable('action_grants').set({ state }).where('grant_id', '=', grantId).execute()
}
