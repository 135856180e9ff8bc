import { type Selectable, sql } from 'kysely'
import type { SuccessCondition } from '#domain/production/first-paid-run.ts'
import type { Tx } from '../postgres/db.ts'
import { findFirst, findRow, insertRow, now, upTo } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type FirstPaidRunRow = Selectable<Database['first_paid_runs']>

export const findFirstPaidRun = (tx: Tx, taskId: string) =>
  findRow(tx, 'first_paid_runs', { task_id: taskId })

export const insertFirstPaidRun = (
  tx: Tx,
  run: Pick<
    FirstPaidRunRow,
    'task_id' | 'audit_event_id' | 'asked_sha256' | 'customer_account' | 'publication_consent'
  >,
) => insertRow(tx, 'first_paid_runs', run)

/** Stores the conditions of a run whose task has closed, once. */
export async function closeFirstPaidRun(
  tx: Tx,
  taskId: string,
  closed: { conditions: readonly SuccessCondition[]; reached: boolean; receipt_id: string },
): Promise<void> {
  await tx
    .updateTable('first_paid_runs')
    .set({
      ...closed,
      conditions: JSON.stringify(closed.conditions),
      closed_at: now,
    })
    .where('task_id', '=', taskId)
    .execute()
}

export type FirstPaidCounts = { running: number; reached: number; unmet: number }

/** The runs by their outcome, each up to `COUNTED_MAX`. */
export async function countFirstPaidRuns(tx: Tx): Promise<FirstPaidCounts> {
  const runs = 'select from first_paid_runs where reached is'
  const { rows } = await sql<FirstPaidCounts>`
    select ${upTo(`${runs} null`)} as running, ${upTo(`${runs} true`)} as reached, ${upTo(`${runs} false`)} as unmet`.execute(
    tx,
  )
  return rows[0] ?? { running: 0, reached: 0, unmet: 0 }
}

/** The run that met every condition first. */
export const findFirstReached = (tx: Tx) =>
  findFirst(tx, 'first_paid_runs', { reached: true }, ['closed_at'])
