import { type Insertable, type Selectable, sql } from 'kysely'
import { noAmount, waitingAs } from '../console/waiting-filter.ts'
import type { Tx } from '../postgres/db.ts'
import { countOf, findRow, lockRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'
import type { ReviewFilter } from './review-decisions.ts'

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
export async function latestClearing(tx: Tx, taskId: string): Promise<ClearingRow | undefined> {
  return tx
    .selectFrom('clearings')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('made_at', 'desc')
    .orderBy('clearing_id')
    .limit(1)
    .executeTakeFirst()
}

/** Stores what an operator decided about a locked clearing that waits. */
export async function reviewClearing(
  tx: Tx,
  clearingId: string,
  reviewed: { state: 'approved' | 'rejected'; decisionId: string },
): Promise<ClearingRow> {
  return tx
    .updateTable('clearings')
    .set({
      review_state: reviewed.state,
      review_decision_id: reviewed.decisionId,
      reviewed_at: sql<Date>`clock_timestamp()`,
    })
    .where('clearing_id', '=', clearingId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The number of clearings of an agent that wait for a person. */
export async function countWaitingOf(tx: Tx, agentId: string): Promise<number> {
  return countOf(
    tx
      .selectFrom('clearings')
      .where('review_state', '=', 'waiting')
      .where('agent_id', '=', agentId),
  )
}

const waiting = (tx: Tx, { subjectId, state, rail, ...waits }: ReviewFilter) =>
  tx
    .selectFrom('clearings')
    .innerJoin('tasks', 'tasks.task_id', 'clearings.task_id')
    .where(sql<boolean>`review_state = ${state ?? 'waiting'}`)
    .where(waitingAs(waits, { since: 'made_at', amount: noAmount }))
    .$if(subjectId !== undefined, (query) => query.where('clearing_id', '=', String(subjectId)))
    .$if(rail !== undefined, (query) => query.where(sql<boolean>`tasks.rail = ${rail}`))

export type WaitingClearing = ClearingRow & { rail: string }

/** Clearings that wait for a person, longest waiting first. */
export async function listWaitingClearings(
  tx: Tx,
  filter: ReviewFilter,
  most: number,
): Promise<WaitingClearing[]> {
  return waiting(tx, filter)
    .selectAll('clearings')
    .select('tasks.rail')
    .orderBy('made_at')
    .orderBy('clearing_id')
    .limit(most)
    .execute()
}

export async function countWaitingClearings(tx: Tx, filter: ReviewFilter): Promise<number> {
  return countOf(waiting(tx, filter))
}
