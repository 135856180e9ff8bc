import { type Insertable, type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { changeRow, countOf, findFirst, findRow, lockRow } from '../postgres/rows.ts'
import { type Reviewed, reviewedAs } from '../reviews/review-decisions.ts'
import { waitingRows } from '../reviews/waiting.ts'
import type { Database } from '../schema/schema.ts'

export type ClearingRow = Selectable<Database['clearings']>
export type NewClearing = Omit<
  Insertable<Database['clearings']>,
  'review_decision_id' | 'reviewed_at'
>

export async function insertClearing(tx: Tx, clearing: NewClearing): Promise<ClearingRow> {
  return tx.insertInto('clearings').values(clearing).returningAll().executeTakeFirstOrThrow()
}

export const findClearing = (tx: Tx, clearingId: string) =>
  findRow(tx, 'clearings', { clearing_id: clearingId })

export const lockClearing = (tx: Tx, clearingId: string) =>
  lockRow(tx, 'clearings', { clearing_id: clearingId })

/** The newest clearing of a task. */
export const latestClearing = (tx: Tx, taskId: string) =>
  findFirst(tx, 'clearings', { task_id: taskId }, ['made_at desc', 'clearing_id'])

/** Stores what an operator decided about a locked clearing that waits. */
export const reviewClearing = (tx: Tx, clearingId: string, reviewed: Reviewed) =>
  changeRow(tx, 'clearings', { clearing_id: clearingId }, reviewedAs(reviewed))

/** The number of clearings of an agent that wait for a person. */
export async function countWaitingOf(tx: Tx, agentId: string): Promise<number> {
  return countOf(
    tx
      .selectFrom('clearings')
      .where('review_state', '=', 'waiting')
      .where('agent_id', '=', agentId),
  )
}

/** Clearings that wait for a person. */
export const waitingClearings = waitingRows('clearings', {
  key: 'clearing_id',
  state: ['review_state', 'waiting'],
  since: 'made_at',
  rail: (rail) =>
    sql`exists (select from tasks t where t.task_id = clearings.task_id and t.rail = ${rail})`,
})
