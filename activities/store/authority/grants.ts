import type { Insertable, Selectable } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { findRow, lockRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type GrantRow = Selectable<Database['action_grants']>

/** Stores a grant under its id and returns the stored one, which is the first for a repeat. */
export async function storeGrant(
  tx: Tx,
  grant: Insertable<Database['action_grants']>,
): Promise<GrantRow> {
  await tx
    .insertInto('action_grants')
    .values(grant)
    .onConflict((conflict) => conflict.column('grant_id').doNothing())
    .execute()
  const stored = await findGrant(tx, grant.grant_id)
  if (stored === undefined) throw new Error('a grant that was stored is missing')
  return stored
}

export const findGrant = (tx: Tx, grantId: string) =>
  findRow(tx, 'action_grants', { grant_id: grantId })

/** The grant, locked until the transaction ends. Its mandate is locked first. */
export const lockGrant = (tx: Tx, grantId: string) =>
  lockRow(tx, 'action_grants', { grant_id: grantId })

/** The grants of a mandate, newest first. */
export async function listGrants(tx: Tx, mandateId: string, most: number): Promise<GrantRow[]> {
  return tx
    .selectFrom('action_grants')
    .selectAll()
    .where('mandate_id', '=', mandateId)
    .orderBy('issued_at', 'desc')
    .limit(most)
    .execute()
}

/** Moves a locked grant; a refused action gives it back as `issued`, or as `revoked` where its mandate is. */
export async function moveGrant(tx: Tx, grantId: string, state: GrantRow['state']): Promise<void> {
  await tx.updateTable('action_grants').set({ state }).where('grant_id', '=', grantId).execute()
}
