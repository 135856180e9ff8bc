import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { publicSandbox } from '../tasks/public-sandbox.ts'

/** What operators watch, each with the name of its label; null: it has one value. */
export const openWorkLabels = {
  tasks: 'state',
  transfers: 'status',
  transfers_parked: 'reason',
  transfer_oldest_seconds: 'status',
  task_exceptions: 'code',
  callbacks_failing: 'event',
  differences: 'code',
  reconciliation_age_seconds: null,
  log_oldest_seconds: null,
} as const
export type OpenWork = keyof typeof openWorkLabels

export type OpenWorkRow = { measure: OpenWork; label: string; value: number }

/** Why a transfer is parked, without addresses, amounts and times, so that it is one of a few values. */
const parkedReason = sql`
  regexp_replace(split_part(split_part(parked, ';', 1), ':', 1), '0x[0-9a-f]+|since .*|[0-9]+', '', 'gi')`

/** Counts and ages of unfinished work, and the age of the last reconciliation, or of the schema before the first one, in one query over the indexes of what is open. */
export async function readOpenWork(tx: Tx): Promise<OpenWorkRow[]> {
  const { rows } = await sql<OpenWorkRow>`
    select 'tasks' as measure, state as label, count(*)::float8 as value
      from tasks where state <> 'closed' group by state
    union all select 'transfers', status, count(*)
      from transfers where status not in ('final','dead') group by status
    union all select 'transfers_parked', ${parkedReason}, count(*)
      from transfers where status not in ('final','dead') and parked is not null group by 2
    union all select 'transfer_oldest_seconds', status, extract(epoch from clock_timestamp() - min(reserved_at))
      from transfers where status not in ('final','dead') group by status
    union all select 'task_exceptions', code, count(*)
      from task_exceptions e join tasks using (task_id) where e.closed_at is null and not ${publicSandbox} group by code
    union all select 'callbacks_failing', event, count(*)
      from callback_deliveries where finished_at is null and failures > 0 group by event
    union all select 'differences', code, count(*)
      from exceptions where state = 'open' group by code
    union all select 'reconciliation_age_seconds', '', extract(epoch from clock_timestamp() - coalesce(
        (select max(completed_at) from reconciliations), (select min(timestamp)::timestamptz from kysely_migration)))
    union all select 'log_oldest_seconds', '', coalesce(extract(epoch from clock_timestamp() - (
        select queued_at from log_outbox order by position limit 1)), 0)`.execute(tx)
  return rows
}
