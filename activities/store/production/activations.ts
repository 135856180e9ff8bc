import { type Insertable, type Selectable, sql } from 'kysely'
import type { PathRecords } from '#domain/production/activation-path.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ActivationRow = Selectable<Database['activations']>

/** Stores an activation; undefined where the agent has one of this account, rail and tier. */
export async function insertActivation(
  tx: Tx,
  activation: Insertable<Database['activations']>,
): Promise<ActivationRow | undefined> {
  return tx
    .insertInto('activations')
    .values(activation)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

export const findActivation = (tx: Tx, activationId: string) =>
  findRow(tx, 'activations', { activation_id: activationId })

/** What an agent began for one account, rail and tier: at most one. */
export const findActivationFor = (
  tx: Tx,
  {
    agent_id,
    customer_account,
    rail,
    tier,
  }: Omit<Insertable<Database['activations']>, 'activation_id'>,
) => findRow(tx, 'activations', { agent_id, customer_account, rail, tier })

/** How many an agent started within a day. */
export async function countActivationsOf(tx: Tx, agentId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from activations
    where agent_id = ${agentId} and started_at > clock_timestamp() - interval '1 day'`.execute(tx)
  return rows[0]?.count ?? 0
}

/** How many there are, counted up to `most`. */
export async function countActivations(tx: Tx, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select from activations limit ${most}) counted`.execute(tx)
  return rows[0]?.count ?? 0
}

const completed = sql`case when num_nonnulls(closed.event, issued.event) = 2 then p.return_package_id end`
/** Paid by a payment that was verified: what an operator grants is no payment. */
const paid = sql`case when e.state <> 'returned' and exists (select from payment_references f
  where f.entitlement_id = e.entitlement_id and f.state = 'verified') then e.settlement_receipt_id end`
/** The approved order; a run that has none is approved by itself. */
const approved = sql`case when o.task_id is null then t.review_decision when w.decision = 'approve' then w.work_order_id end`

/** The records behind the steps, of the production run that came furthest. */
export async function readPathRecords(tx: Tx, of: ActivationRow): Promise<PathRecords> {
  const { rows } = await sql<PathRecords>`
    select a.agent_id as registered,
      case when a.trust_state = 'trusted' then a.decision_id end as trusted,
      coalesce(furthest.quote_id, (
        select quote_id from quotes q where q.bound_to = a.agent_id and q.rail = ${of.rail} and q.tier = ${of.tier}
        order by q.issued_at desc, q.quote_id limit 1)) as quoted,
      furthest.paid, furthest.work_order_approved, furthest.first_run_completed, furthest.receipt_issued
    from agents a left join lateral (
      select t.quote_id,
        ${paid} as paid,
        ${approved} as work_order_approved, ${completed} as first_run_completed,
        c.usage_receipt_id as receipt_issued
      from production_runs r join tasks t using (task_id)
      left join entitlements e using (entitlement_id)
      left join work_order_tasks o on o.task_id = t.task_id
      left join work_orders w using (work_order_id)
      left join runs on runs.task_id = t.task_id
      left join return_packages p on p.run_id = runs.run_id
      left join task_events closed on closed.task_id = t.task_id and closed.event = 'closed'
      left join task_events issued on issued.task_id = t.task_id and issued.event = 'receipts_issued'
      left join task_credits c on c.task_id = t.task_id and c.state = 'used'
      where r.customer_account = ${of.customer_account}
        and r.agent_id = ${of.agent_id} and r.rail = ${of.rail} and r.tier = ${of.tier}
      order by num_nonnulls(${completed}, ${approved}, c.usage_receipt_id, ${paid}) desc,
        r.started_at, t.task_id
      limit 1
    ) furthest on true
    where a.agent_id = ${of.agent_id}`.execute(tx)
  const [read] = rows
  if (read === undefined) throw new Error(`the agent ${of.agent_id} is missing`)
  return read
}
