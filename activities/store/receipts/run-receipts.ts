import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import type { TaskRow } from '../tasks/tasks.ts'

/**
 * How many receipts a run has (Doc 1: intake, settlement, usage, attestations). The settlement receipt of a credit for several runs is
 * one of the first, and that of an order one of its first step.
 */
export async function countRunReceipts(
  tx: Tx,
  { task_id, run_id, contract_id }: Pick<TaskRow, 'task_id' | 'run_id' | 'contract_id'>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from receipts
    where set_aside_at is null and kind in ('intake','settlement_receipt','usage_receipt','attestation')
      and (subject = any(array[${task_id}, ${run_id}, ${contract_id}]::text[])
        or subject = any(array(select work_order_id from work_order_tasks where task_id = ${task_id} and step = 1))
        or receipt_id = any(array(select usage_receipt_id from task_credits where task_id = ${task_id}))
        or receipt_id = any(array(select e.settlement_receipt_id
          from task_credits c join entitlements e using (entitlement_id)
          where c.task_id = ${task_id} and not exists (select from task_credits o
            where o.entitlement_id = c.entitlement_id and o.state <> 'released'
              and (o.created_at, o.task_id) < (c.created_at, c.task_id)))))`.execute(tx)
  return rows[0]?.count ?? 0
}
