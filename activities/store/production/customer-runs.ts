import { type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { findRow, insertRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type CustomerRunRow = Selectable<Database['customer_runs']>

export const findCustomerRun = (tx: Tx, taskId: string) =>
  findRow(tx, 'customer_runs', { task_id: taskId })

export const insertCustomerRun = (tx: Tx, run: Omit<CustomerRunRow, 'started_at'>) =>
  insertRow(tx, 'customer_runs', run)

export type ProductionRunFilter = {
  agentId?: string | undefined
  customerAccount?: string | undefined
  taskId?: string | undefined
}
/** A production run of either kind, as it is bound. */
export type BoundRunRow = Pick<CustomerRunRow, 'task_id' | 'audit_event_id' | 'customer_account'>

/** The production runs of all kinds, newest first, with their number. */
export async function listProductionRuns(
  tx: Tx,
  { agentId, customerAccount, taskId }: ProductionRunFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: BoundRunRow[]; total: number }> {
  const filtered = sql`
    from (select task_id, audit_event_id, customer_account, started_at from customer_runs
      union all select task_id, audit_event_id, customer_account, started_at from first_paid_runs
      union all select task_id, audit_event_id, customer_account, started_at from pilot_runs) r
    join tasks t using (task_id)
    where (${agentId ?? null}::text is null or t.agent_id = ${agentId ?? null})
      and (${customerAccount ?? null}::text is null or r.customer_account = ${customerAccount ?? null})
      and (${taskId ?? null}::text is null or r.task_id = ${taskId ?? null})`
  const { rows } = await sql<BoundRunRow>`
    select r.task_id, r.audit_event_id, r.customer_account ${filtered}
    order by r.started_at desc, r.task_id offset ${offset} limit ${limit}`.execute(tx)
  const { rows: counted } = await sql<{ total: number }>`
    select count(*)::int as total ${filtered}`.execute(tx)
  return { rows, total: counted[0]?.total ?? 0 }
}
