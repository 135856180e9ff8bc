import { type Insertable, type Selectable, sql } from 'kysely'
import type { PilotState } from '#domain/pilots/pilot.ts'
import type { Tx } from '../postgres/db.ts'
import {
  COUNTED_MAX,
  countOf,
  findRow,
  findValue,
  insertRow,
  listRows,
  lockRow,
  updateRows,
} from '../postgres/rows.ts'
import type { ReviewFilter } from '../reviews/review-decisions.ts'
import { totalOfQuote, waitingAs } from '../reviews/waiting-filter.ts'
import type { Database } from '../schema/schema.ts'
import type { TaskRow } from '../tasks/tasks.ts'

export type WorkOrderRow = Selectable<Database['work_orders']>

/** Stores an order. Returns false if it was already stored. */
export async function insertWorkOrder(
  tx: Tx,
  order: Insertable<Database['work_orders']>,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('work_orders')
    .values(order)
    .onConflict((conflict) => conflict.doNothing())
    .returning('work_order_id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function insertOrderedTask(
  tx: Tx,
  workOrderId: string,
  step: number,
  taskId: string,
): Promise<void> {
  await insertRow(tx, 'work_order_tasks', { work_order_id: workOrderId, step, task_id: taskId })
}

export const findWorkOrder = (
  tx: Tx,
  by: { work_order_id: string } | { status_token_sha256: string },
) => findRow(tx, 'work_orders', by)

/** The newest orders of an agent. */
export const listOrdersOf = (tx: Tx, agentId: string, most: number) =>
  listRows(tx, 'work_orders', { agent_id: agentId }, ['created_at desc', 'work_order_id'], most)

/** The row, locked for the rest of the transaction. */
export const lockWorkOrder = (tx: Tx, workOrderId: string) =>
  lockRow(tx, 'work_orders', { work_order_id: workOrderId })

export const decideWorkOrder = (
  tx: Tx,
  workOrderId: string,
  decided: { decision: 'approve' | 'reject'; decision_id: string },
) => updateRows(tx, 'work_orders', { work_order_id: workOrderId }, decided)

/**
 * Orders without an agent that are still undecided after `keepMs` and for which no payment was requested, oldest
 * first.
 */
export async function listUndecided(tx: Tx, keepMs: number, most: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('work_orders')
    .select('work_order_id')
    .where('decision', 'is', null)
    .where('agent_id', 'is', null)
    .where('created_at', '<', sql<Date>`clock_timestamp() - ${keepMs} * interval '1 millisecond'`)
    .where(unpaidFor)
    .where(ofNoPilot)
    .orderBy('created_at')
    .limit(most)
    .execute()
  return rows.map(({ work_order_id }) => work_order_id)
}

/** Whether no challenge and no credit was ever requested for the tasks of an order. */
export async function isUnpaidFor(tx: Tx, workOrderId: string): Promise<boolean> {
  const unpaid = await tx
    .selectFrom('work_orders')
    .select('work_order_id')
    .where('work_order_id', '=', workOrderId)
    .where(unpaidFor)
    .executeTakeFirst()
  return unpaid !== undefined
}

const unpaidFor = sql<boolean>`not exists (
  select from work_order_tasks o join tasks t using (task_id) join quotes q on q.bound_to = t.task_id
  where o.work_order_id = work_orders.work_order_id and (
    exists (select from payment_challenges c where c.quote_id = q.quote_id)
    or exists (select from entitlements e where e.quote_id = q.quote_id)))`

/** The order of a pilot that waits for its review is decided with it. */
const ofNoPilot = ofNoPilotIn('requested')
/** Nothing is decided about the order of a closed pilot. */
const ofNoClosedPilot = ofNoPilotIn('closed')

/** An order whose tasks are all closed has ended without a decision. */
const notEnded = sql<boolean>`(
  not exists (select from work_order_tasks o where o.work_order_id = work_orders.work_order_id)
  or exists (select from work_order_tasks o join tasks t using (task_id)
    where o.work_order_id = work_orders.work_order_id and t.state <> 'closed'))`

function ofNoPilotIn(state: PilotState) {
  return sql<boolean>`not exists (
    select from pilots p where p.work_order_id = work_orders.work_order_id and p.state = ${state})`
}

/** Whether a run ended with a result, and was not given up before its receipts were issued. */
export const attested = sql<boolean>`runs.finished_at is not null and (tasks.state not in ('failed','closed')
  or exists (select from task_events e where e.task_id = tasks.task_id and e.event = 'receipts_issued'))`

/** The tasks of an order in the order of its steps. */
export async function listOrderedTasks(
  tx: Tx,
  workOrderId: string,
): Promise<(TaskRow & { attested: boolean })[]> {
  return tx
    .selectFrom('work_order_tasks')
    .innerJoin('tasks', 'tasks.task_id', 'work_order_tasks.task_id')
    .leftJoin('runs', 'runs.run_id', 'tasks.run_id')
    .selectAll('tasks')
    .select(attested.as('attested'))
    .where('work_order_tasks.work_order_id', '=', workOrderId)
    .orderBy('work_order_tasks.step')
    .execute()
}

/** The order of the run of a pilot, where this one is the intake that it began with and stays as it was asked for. */
export async function findContinuation(
  tx: Tx,
  workOrderId: string,
): Promise<Pick<WorkOrderRow, 'work_order_id' | 'decision'> | undefined> {
  return tx
    .selectFrom('pilots')
    .innerJoin('pilot_runs', 'pilot_runs.pilot_id', 'pilots.pilot_id')
    .innerJoin('work_order_tasks', 'work_order_tasks.task_id', 'pilot_runs.task_id')
    .innerJoin('work_orders', 'work_orders.work_order_id', 'work_order_tasks.work_order_id')
    .select(['work_orders.work_order_id', 'work_orders.decision'])
    .where('pilots.work_order_id', '=', workOrderId)
    .where('work_orders.work_order_id', '<>', workOrderId)
    .executeTakeFirst()
}

/** The order that a task belongs to. */
export const findOrderOf = (tx: Tx, taskId: string) =>
  findValue(tx, 'work_order_tasks', { task_id: taskId }, 'work_order_id')

/** The undecided order that waits for this task. */
export async function findQueuedOrderOf(tx: Tx, taskId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('work_order_tasks')
    .innerJoin('work_orders', 'work_orders.work_order_id', 'work_order_tasks.work_order_id')
    .select('work_orders.work_order_id')
    .where('task_id', '=', taskId)
    .where('decision', 'is', null)
    .executeTakeFirst()
  return row?.work_order_id
}

/** The tasks of orders that the newest `COUNTED_MAX` credits of wallets pay, by their state. */
export async function countPaidByWallet(tx: Tx): Promise<Record<string, number>> {
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*)::int as count
    from (select entitlement_id from entitlements where source like 'wallet:%'
      order by created_at desc limit ${COUNTED_MAX}) newest
    join tasks using (entitlement_id) join work_order_tasks using (task_id)
    group by state order by state`.execute(tx)
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

const queued = (tx: Tx, { subjectId, state, rail, ...waits }: ReviewFilter) =>
  tx
    .selectFrom('work_orders')
    .where('decision', 'is', null)
    .where(ofNoPilot)
    .where(ofNoClosedPilot)
    .where(notEnded)
    .where(waitingAs(waits, { since: 'created_at', amount: totalOfQuote('work_orders.quote_id') }))
    .$if(subjectId !== undefined, (query) => query.where('work_order_id', '=', String(subjectId)))
    .$if(state !== undefined && state !== 'queued', (query) => query.where(sql<boolean>`false`))
    .$if(rail !== undefined, (query) => query.where(hasRunOf(String(rail))))

/** Whether an order has a run of this rail. */
const hasRunOf = (rail: string) =>
  sql<boolean>`exists (select from work_order_tasks w join tasks t using (task_id)
    where w.work_order_id = work_orders.work_order_id and t.rail = ${rail})`

/** Undecided orders, longest waiting first. */
export async function listQueuedOrders(
  tx: Tx,
  filter: ReviewFilter,
  most: number,
): Promise<WorkOrderRow[]> {
  return queued(tx, filter).selectAll().orderBy('created_at').limit(most).execute()
}

export async function countQueuedOrders(tx: Tx, filter: ReviewFilter): Promise<number> {
  return countOf(queued(tx, filter))
}
