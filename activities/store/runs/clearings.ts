import { type Insertable, type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { changeRow, countOf, findFirst, findRow, lockRow } from '../postgres/rows.ts'
import { type Reviewed, type ReviewFilter, reviewedAs } from '../reviews/review-decisions.ts'
import { noAmount, waitingAs } from '../reviews/waiting-filter.ts'
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
