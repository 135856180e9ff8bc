import { type Insertable, type Selectable, sql } from 'kysely'
import type { WorkflowState } from '#domain/production/customer-workflow.ts'
import type { Tx } from '../postgres/db.ts'
import { countOf, findRow, insertOnce, lockRow, requireRow, updateRows } from '../postgres/rows.ts'
import { waitingRows } from '../reviews/waiting.ts'
import type { Database } from '../schema/schema.ts'

export type CustomerWorkflowRow = Selectable<Database['customer_workflows']>
export type FiringRow = Selectable<Database['workflow_firings']>

export async function insertWorkflow(
  tx: Tx,
  workflow: Insertable<Database['customer_workflows']>,
): Promise<CustomerWorkflowRow> {
  return tx
    .insertInto('customer_workflows')
    .values(workflow)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const findWorkflow = (tx: Tx, workflow_id: string) =>
  findRow(tx, 'customer_workflows', { workflow_id })

export const lockWorkflow = (tx: Tx, workflow_id: string) =>
  lockRow(tx, 'customer_workflows', { workflow_id })

/** The workflows of an agent or of all, newest first, or one of them, with their number. */
export async function listWorkflows(
  tx: Tx,
  { agentId, workflowId }: { agentId: string | undefined; workflowId: string | undefined },
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: CustomerWorkflowRow[]; total: number }> {
  const chosen = tx
    .selectFrom('customer_workflows')
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', String(agentId)))
    .$if(workflowId !== undefined, (query) => query.where('workflow_id', '=', String(workflowId)))
  const rows = await chosen
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('workflow_id')
    .offset(offset)
    .limit(limit)
    .execute()
  return { rows, total: await countOf(chosen) }
}

/** The workflows of an agent that are not over; it makes no other before the transaction ends. */
export async function countLiveWorkflows(tx: Tx, agentId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`workflows:${agentId}`}, 0))`.execute(
    tx,
  )
  return countOf(
    tx
      .selectFrom('customer_workflows')
      .where('agent_id', '=', agentId)
      .where('state', 'in', ['waiting', 'active', 'paused']),
  )
}

type Change = {
  state: WorkflowState
  decision_id?: string
  credential_id?: string
  accepted_terms?: string
  terms_sha256?: string
}
export async function moveWorkflow(
  tx: Tx,
  workflowId: string,
  change: Change,
): Promise<CustomerWorkflowRow> {
  return tx
    .updateTable('customer_workflows')
    .set({ ...change, state_since: sql<Date>`clock_timestamp()` })
    .where('workflow_id', '=', workflowId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Its schedule was given this state; one that moved meanwhile stays behind. */
export async function markScheduled(tx: Tx, { workflow_id, state }: CustomerWorkflowRow) {
  if (state !== 'active' && state !== 'paused' && state !== 'deleted') return
  await tx
    .updateTable('customer_workflows')
    .set({ scheduled: state })
    .where('workflow_id', '=', workflow_id)
    .where('state', '=', state)
    .execute()
}

/** The workflow of a stored firing. */
export async function findFiredWorkflow(
  tx: Tx,
  firing_id: string,
): Promise<CustomerWorkflowRow | undefined> {
  const firing = await findRow(tx, 'workflow_firings', { firing_id })
  return firing && findWorkflow(tx, firing.workflow_id)
}

/** The newest firings of a workflow. */
export async function listFirings(tx: Tx, workflowId: string, most: number): Promise<FiringRow[]> {
  return tx
    .selectFrom('workflow_firings')
    .selectAll()
    .where('workflow_id', '=', workflowId)
    .orderBy('due_at', 'desc')
    .orderBy('firing_id')
    .limit(most)
    .execute()
}

/** Stores a firing once, and reads it; `early`: another one starts a run within the interval around it. */
export async function beginFiring(
  tx: Tx,
  firing: Pick<FiringRow, 'firing_id' | 'workflow_id' | 'due_at' | 'terms_sha256' | 'call_id'>,
  intervalSeconds: number,
): Promise<FiringRow & { early: boolean }> {
  await insertOnce(tx, 'workflow_firings', firing)
  return tx
    .selectFrom('workflow_firings as f')
    .selectAll()
    .select(
      sql<boolean>`exists (select from workflow_firings o where o.workflow_id = f.workflow_id and o.firing_id <> f.firing_id
        and o.state <> 'refused' and abs(extract(epoch from o.due_at - f.due_at)) < ${intervalSeconds})`.as(
        'early',
      ),
    )
    .where('firing_id', '=', firing.firing_id)
    .executeTakeFirstOrThrow()
}

/** Gives a firing its quote, unless it has one; returns the one it has. */
export async function quoteFiring(tx: Tx, firing_id: string, quote_id: string): Promise<string> {
  await updateRows(tx, 'workflow_firings', { firing_id, quote_id: null }, { quote_id })
  return (await requireRow(tx, 'workflow_firings', { firing_id })).quote_id ?? quote_id
}

export type FiringBarrier = Pick<CustomerWorkflowRow, 'state' | 'terms_sha256'> & {
  fired_terms_sha256: string
}

/**
 * The workflow of the firing that this call carries out, shared: a move of it waits for the transaction, or is seen. Undefined for
 * any other call.
 */
export async function shareFiredWorkflow(
  tx: Tx,
  callId: string,
): Promise<FiringBarrier | undefined> {
  const { rows } = await sql<FiringBarrier>`
    select w.state, w.terms_sha256, f.terms_sha256 as fired_terms_sha256
    from workflow_firings f join customer_workflows w using (workflow_id)
    where f.call_id = ${callId} for share of w`.execute(tx)
  return rows[0]
}

type Outcome =
  | { state: 'started'; run_id: string; work_order_id: string }
  | { state: 'refused'; code: string; detail: string }
/** Ends a firing that is due; one that has ended stays as it is. */
export async function endFiring(tx: Tx, firingId: string, outcome: Outcome): Promise<FiringRow> {
  const ended = await tx
    .updateTable('workflow_firings')
    .set({ ...outcome, ended_at: sql<Date>`clock_timestamp()` })
    .where('firing_id', '=', firingId)
    .where('state', '=', 'due')
    .returningAll()
    .executeTakeFirst()
  if (ended !== undefined) return ended
  return requireRow(tx, 'workflow_firings', { firing_id: firingId })
}

/** Workflows that wait for a review. */
export const waitingWorkflows = waitingRows('customer_workflows', {
  key: 'workflow_id',
  state: ['state', 'waiting'],
  since: 'state_since',
  rail: (rail) => sql`rail = ${rail}`,
  only: true,
})
