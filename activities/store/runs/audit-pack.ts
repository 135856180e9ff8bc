import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { countOf } from '../postgres/rows.ts'
import type { ReviewDecisionRow } from '../reviews/review-decisions.ts'
import type { TaskRow } from '../tasks/tasks.ts'

/** Decisions from a time until another, by an operator, or about these subjects. */
export type DecisionFilter = {
  from?: Date | undefined
  to?: Date | undefined
  decidedBy?: string | undefined
  subjects?: readonly string[] | undefined
}

/** A page of decisions, the last one first, with the number of all. */
export async function listDecisions(
  tx: Tx,
  { from, to, decidedBy, subjects }: DecisionFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: ReviewDecisionRow[]; total: number }> {
  const filtered = tx
    .selectFrom('review_decisions')
    .$if(from !== undefined, (query) => query.where('decided_at', '>=', from as Date))
    .$if(to !== undefined, (query) => query.where('decided_at', '<', to as Date))
    .$if(decidedBy !== undefined, (query) => query.where('operator_id', '=', String(decidedBy)))
    .$if(subjects !== undefined, (query) => query.where('subject_id', 'in', [...(subjects ?? [])]))
  const rows = await filtered
    .selectAll()
    .orderBy('seq', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  return { rows: rows.map(({ seq: _seq, ...row }) => row), total: await countOf(filtered) }
}

/** What operators decide about for one task: itself, its run, its order, its payments, and its exceptions and recoveries. */
export async function subjectsOfTask(tx: Tx, task: TaskRow): Promise<string[]> {
  const { task_id, run_id, entitlement_id } = task
  const { rows } = await sql<{ id: string }>`
    select work_order_id as id from work_order_tasks where task_id = ${task_id}
    union select payment_reference_id from payment_references where entitlement_id = ${entitlement_id}
    union select exception_id from task_exceptions where task_id = ${task_id}
    union select r.recovery_id from recovery_requests r join task_exceptions x using (exception_id)
      where x.task_id = ${task_id}`.execute(tx)
  return [task_id, ...(run_id === null ? [] : [run_id]), ...rows.map(({ id }) => id)]
}

/** The tasks that decisions with these subjects are about, in the order of their ids. */
export async function listDecidedTasks(tx: Tx, subjects: readonly string[]): Promise<TaskRow[]> {
  const ids = sql`${[...subjects]}::text[]`
  const { rows } = await sql<TaskRow>`
    select * from tasks where task_id in (
      select task_id from tasks where task_id = any(${ids})
      union select task_id from tasks where run_id_of(task_id) = any(${ids})
      union select task_id from work_order_tasks where work_order_id = any(${ids})
      union select c.task_id from payment_references p join task_credits c using (entitlement_id)
        where p.payment_reference_id = any(${ids})
      union select task_id from task_exceptions where exception_id = any(${ids})
      union select x.task_id from recovery_requests r join task_exceptions x using (exception_id)
        where r.recovery_id = any(${ids})
    ) order by task_id`.execute(tx)
  return rows
}
