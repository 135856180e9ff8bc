import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { findRow } from '../postgres/rows.ts'
import type { ReturnPackageRow } from '../runs/runs.ts'
import type { TaskRow } from '../tasks/tasks.ts'
import { attested } from '../work-orders/work-orders.ts'

/** A return package of this agent with its task; undefined for one that is unknown or of another agent. */
export async function findOwnPackage(
  tx: Tx,
  packageId: string,
  agentId: string,
): Promise<{ made: ReturnPackageRow; task: TaskRow; bytes: number } | undefined> {
  const made = await tx
    .selectFrom('return_packages')
    .innerJoin('runs', 'runs.run_id', 'return_packages.run_id')
    .selectAll('return_packages')
    .select('runs.task_id')
    .select(sql<number>`octet_length(package::text)`.as('bytes'))
    .where('return_package_id', '=', packageId)
    .executeTakeFirst()
  if (made === undefined) return undefined
  const { task_id, bytes, ...row } = made
  const task = await findRow(tx, 'tasks', { task_id, agent_id: agentId })
  return task && { made: row, task, bytes }
}

type OrderTask = Pick<TaskRow, 'task_id' | 'entitlement_id'> & { attested: boolean }

/**
 * The tasks of a work order of this agent in the order of its steps; empty for an order that is unknown or of another agent.
 */
export async function listOwnOrderTasks(
  tx: Tx,
  workOrderId: string,
  agentId: string,
): Promise<OrderTask[]> {
  const { rows } = await sql<OrderTask>`
    select tasks.task_id, tasks.entitlement_id, ${attested} as attested from work_orders o join work_order_tasks w using (work_order_id)
      join tasks using (task_id) left join runs on runs.run_id = tasks.run_id
    where o.work_order_id = ${workOrderId} and o.agent_id = ${agentId} order by w.step`.execute(tx)
  return rows
}

/** A handoff pack whose builder or recipient is a wallet that the account of this agent bound; undefined for any other. */
export async function findOwnHandoff(
  tx: Tx,
  packId: string,
  agentId: string,
): Promise<{ jws: string; issued_at: Date } | undefined> {
  const { rows } = await sql<{ jws: string; issued_at: Date }>`
    select p.jws, p.issued_at from handoff_packs p where p.pack_id = ${packId} and exists (
      select from account_wallets w join agents a using (account_id)
      where a.agent_id = ${agentId} and w.wallet in (p.builder, p.recipient))`.execute(tx)
  return rows[0]
}

/** Whether the account of this agent bound a wallet by its signature. */
export async function isWalletOf(tx: Tx, wallet: string, agentId: string): Promise<boolean> {
  const { rows } = await sql`
    select from account_wallets w join agents a using (account_id)
    where a.agent_id = ${agentId} and w.wallet = ${wallet.toLowerCase()}`.execute(tx)
  return rows.length > 0
}

type DeliveredPilot = Pick<TaskRow, 'task_id' | 'entitlement_id' | 'usage'> & { since: Date }

/** The run of a pilot of this agent that was delivered; undefined for any other pilot. */
export async function findDeliveredPilot(
  tx: Tx,
  pilotId: string,
  agentId: string,
): Promise<DeliveredPilot | undefined> {
  const { rows } = await sql<DeliveredPilot>`
    select t.task_id, t.entitlement_id, t.usage, p.state_since as since
    from pilots p join pilot_runs r using (pilot_id) join tasks t using (task_id)
    where p.pilot_id = ${pilotId} and p.agent_id = ${agentId} and t.agent_id = ${agentId}
      and p.state in ('delivered', 'paid_next_step_ready')`.execute(tx)
  return rows[0]
}

/** The agent that a receipt is about, by its subject; null for one that is about none. */
export async function agentOfReceipt(tx: Tx, receiptId: string): Promise<string | null> {
  const { rows } = await sql<{ agent_id: string | null }>`
    select coalesce(
      (select a.agent_id from agents a where a.agent_id = r.subject),
      (select e.agent_id from entitlements e where e.entitlement_id = r.subject),
      (select p.agent_id from payment_references p where p.payment_reference_id = r.subject),
      (select w.agent_id from allowance_wallets w where w.wallet_id = r.subject),
      (select t.agent_id from tasks t where t.task_id = r.subject),
      (select t.agent_id from tasks t where run_id_of(t.task_id) = r.subject),
      (select t.agent_id from contracts c join tasks t using (task_id) where c.contract_id = r.subject),
      (select t.agent_id from task_exceptions x join tasks t using (task_id) where x.exception_id = r.subject),
      (select u.agent_id from usage_events u where u.event_id = r.subject),
      (select d.agent_id from delegated_actions d where d.action_id = r.subject),
      (select c.agent_id from commerce_proofs c where c.proof_id = r.subject),
      (select c.agent_id from clearings c where c.clearing_id = r.subject)
    ) as agent_id from receipts r where r.receipt_id = ${receiptId}`.execute(tx)
  return rows[0]?.agent_id ?? null
}
