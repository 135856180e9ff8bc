import { type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { COUNTED_MAX, findRow, insertRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type CustomerRunRow = Selectable<Database['customer_runs']>

export const findCustomerRun = (tx: Tx, taskId: string) =>
  findRow(tx, 'customer_runs', { task_id: taskId })

export const insertCustomerRun = (tx: Tx, run: Omit<CustomerRunRow, 'started_at'>) =>
  insertRow(tx, 'customer_runs', run)

/** The production run of a task, however it was started; undefined where it is for no customer account. */
export async function findProductionRun(tx: Tx, taskId: string): Promise<BoundRunRow | undefined> {
  const { rows } = await listProductionRuns(tx, { taskId }, { offset: 0, limit: 1 })
  return rows[0]
}

export type ProductionRunFilter = {
  agentId?: string | undefined
  customerAccount?: string | undefined
  taskId?: string | undefined
}
/** A production run of any kind, as it is bound. */
export type BoundRunRow = Pick<CustomerRunRow, 'task_id' | 'audit_event_id' | 'customer_account'>

/** The production runs of all kinds, newest first, with their number up to `COUNTED_MAX`. */
export async function listProductionRuns(
  tx: Tx,
  { agentId, customerAccount, taskId }: ProductionRunFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: BoundRunRow[]; total: number }> {
  const filter = [
    ...(agentId === undefined ? [] : [sql`agent_id = ${agentId}`]),
    ...(customerAccount === undefined ? [] : [sql`customer_account = ${customerAccount}`]),
    ...(taskId === undefined ? [] : [sql`task_id = ${taskId}`]),
  ]
  const filtered = sql`
    from production_runs where ${filter.length === 0 ? sql`true` : sql.join(filter, sql` and `)}`
  const { rows } = await sql<BoundRunRow>`
    select task_id, audit_event_id, customer_account ${filtered}
    order by started_at desc, task_id offset ${offset} limit ${limit}`.execute(tx)
  const { rows: counted } = await sql<{ total: number }>`
    select count(*)::int as total from (select ${filtered} limit ${COUNTED_MAX}) counted`.execute(
    tx,
  )
  return { rows, total: counted[0]?.total ?? 0 }
}
