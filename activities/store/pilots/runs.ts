import { type Selectable, sql } from 'kysely'
import type { PilotPayment } from '#domain/pilots/pilot.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow, insertRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type PilotRunRow = Selectable<Database['pilot_runs']>

export const findPilotRun = (tx: Tx, by: { task_id: string } | { pilot_id: string }) =>
  findRow(tx, 'pilot_runs', by)

export const insertPilotRun = (tx: Tx, run: Omit<PilotRunRow, 'started_at'>) =>
  insertRow(tx, 'pilot_runs', run)

type ReadyPilot = { pilot_id: string; work_order_id: string; is_paid: boolean }

/** Pilots of a rail whose order waits for an operator: the paid ones first, and then the longest waiting. */
export async function listReadyPilots(tx: Tx, rail: RailKey, most: number): Promise<ReadyPilot[]> {
  const { rows } = await sql<ReadyPilot>`
    select r.pilot_id, o.work_order_id, t.state = 'credit_funded' as is_paid from pilot_runs r join pilots p using (pilot_id)
      join work_order_tasks w using (task_id) join tasks t using (task_id) join work_orders o on o.work_order_id = w.work_order_id
    where p.rail = ${rail} and p.state = 'running' and t.state in ('credit_pending', 'credit_funded') and o.decision is null
    order by t.state = 'credit_funded' desc, r.started_at, r.pilot_id limit ${most}`.execute(tx)
  return rows
}

/** What became of the money for a run, by the quote that it took last. */
export async function paymentOfRun(tx: Tx, taskId: string): Promise<PilotPayment> {
  const { rows } = await sql<{ payment: PilotPayment }>`
    select case
      when c.usage_receipt_id is not null then 'applied'
      when e.state = 'returned' then 'returned'
      when e.state <> 'pending' then case c.state when 'reserved' then 'reserved' else 'credit' end
      when exists (select from payment_references r where r.entitlement_id = e.entitlement_id and r.state in ('presented', 'pending'))
        then 'under_way'
      else 'none' end as payment
    from task_credits c join entitlements e using (entitlement_id)
    where c.task_id = ${taskId} order by c.changed_at desc, c.quote_id limit 1`.execute(tx)
  return rows[0]?.payment ?? 'none'
}

/** The synthetic runs of a pilot, the newest first. */
export function listTrials(tx: Tx, pilotId: string): Promise<{ task_id: string }[]> {
  return tx
    .selectFrom('pilot_trials')
    .select('task_id')
    .where('pilot_id', '=', pilotId)
    .orderBy('started_at', 'desc')
    .orderBy('task_id')
    .execute()
}

export const insertTrial = (
  tx: Tx,
  trial: Omit<Selectable<Database['pilot_trials']>, 'started_at'>,
) => insertRow(tx, 'pilot_trials', trial)

/**
 * The run of a pilot ended, with its result or without its receipts: the pilot is delivered or closed in the same transaction. A pilot
 * that an operator closed before stays closed.
 */
export async function endPilotRun(
  tx: Tx,
  taskId: string,
  state: 'delivered' | 'closed',
): Promise<void> {
  await tx
    .updateTable('pilots')
    .set({ state, state_since: sql<Date>`clock_timestamp()`, waiting_since: null })
    .where('state', 'in', state === 'delivered' ? ['running'] : ['running', 'delivered'])
    .where('pilot_id', 'in', (query) =>
      query.selectFrom('pilot_runs').select('pilot_id').where('task_id', '=', taskId),
    )
    .execute()
}
