import type { Selectable, Updateable } from 'kysely'
import { notifyChanged } from '../postgres/changes.ts'
import type { Tx } from '../postgres/db.ts'
import {
  countOf,
  findRow,
  insertRow,
  lockRow,
  type NewRow,
  now,
  updateRows,
} from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ActionRow = Selectable<Database['delegated_actions']>

export const insertAction = (tx: Tx, action: NewRow<'delegated_actions'>) =>
  insertRow(tx, 'delegated_actions', action)

export const findAction = (tx: Tx, actionId: string) =>
  findRow(tx, 'delegated_actions', { action_id: actionId })

/** The action, locked until the transaction ends. Its mandate and grant are locked first. */
export const lockAction = (tx: Tx, actionId: string) =>
  lockRow(tx, 'delegated_actions', { action_id: actionId })

/** The action that uses the grant; a refused one does not. */
export async function findActionOf(tx: Tx, grantId: string): Promise<ActionRow | undefined> {
  return tx
    .selectFrom('delegated_actions')
    .selectAll()
    .where('grant_id', '=', grantId)
    .where('state', '<>', 'refused')
    .executeTakeFirst()
}

/** How often the grant was tried. */
export const countAttempts = (tx: Tx, grantId: string): Promise<number> =>
  countOf(tx.selectFrom('delegated_actions').where('grant_id', '=', grantId))

/** The action for which this call of an operation works; undefined for a call of its own. */
export async function findActionIdOfCall(
  tx: Tx,
  operationCallId: string,
): Promise<string | undefined> {
  const found = await tx
    .selectFrom('delegated_actions')
    .select('action_id')
    .where('operation_call_id', '=', operationCallId)
    .where('state', '<>', 'refused')
    .executeTakeFirst()
  return found?.action_id
}

/** Marks a locked action as started: from here on its outcome is unknown until it is stored. */
export const startAction = (tx: Tx, actionId: string): Promise<void> =>
  updateRows(
    tx,
    'delegated_actions',
    { action_id: actionId },
    { state: 'started', started_at: now },
  )

type Ended = Pick<
  Updateable<Database['delegated_actions']>,
  'status' | 'result' | 'refusal' | 'document' | 'receipt_id'
> & { state: 'done' | 'refused' }

/** Ends a locked action, forgets its input, and notifies who waits for it. */
export async function endAction(tx: Tx, actionId: string, ended: Ended): Promise<void> {
  await tx
    .updateTable('delegated_actions')
    .set({ ...ended, input: null, finished_at: now })
    .where('action_id', '=', actionId)
    .execute()
  await notifyChanged(tx, actionId)
}

/** Stores a decision with the rules that decided. Decisions do not change. */
export const insertDecision = (tx: Tx, decision: NewRow<'authority_decisions'>) =>
  insertRow(tx, 'authority_decisions', decision)
