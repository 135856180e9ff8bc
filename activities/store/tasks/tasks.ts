import { type Selectable, sql } from 'kysely'
import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import { Extraction } from '#domain/rails/input/documents.ts'
import { type RailKey, tiers } from '#domain/rails/rail.ts'
import { turnaroundOf } from '#domain/rails/work/tiers.ts'
import type { LedgerEntry } from '#domain/tasks/ledger.ts'
import type { Tx } from '../postgres/db.ts'
import { prepared, preparedInsert } from '../postgres/prepared.ts'
import { countOf, findValue, insertOnce } from '../postgres/rows.ts'
import type { ReviewFilter } from '../reviews/review-decisions.ts'
import { totalOfQuote, waitingAs } from '../reviews/waiting-filter.ts'
import type { Database } from '../schema/schema.ts'
import { isPublicSandbox, publicSandbox } from './public-sandbox.ts'

export type TaskRow = Selectable<Database['tasks']>
export type TaskEventRow = Selectable<Database['task_events']>

const selectTask = prepared((tx, taskId: string) =>
  tx.selectFrom('tasks').selectAll().where('task_id', '=', taskId),
)
const selectTaskForUpdate = prepared((tx, taskId: string) =>
  tx.selectFrom('tasks').selectAll().where('task_id', '=', taskId).forUpdate(),
)
const selectTaskEvent = prepared((tx, taskId: string, eventId: string) =>
  tx
    .selectFrom('task_events')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('event_id', '=', eventId),
)
const insertEvent = preparedInsert('task_events')
const insertTaskRow = preparedInsert('tasks')

export async function findTask(tx: Tx, taskId: string): Promise<TaskRow | undefined> {
  const [row] = await selectTask(taskId).run(tx)
  return row
}

/** The row, locked for the rest of the transaction. */
export async function lockTask(tx: Tx, taskId: string): Promise<TaskRow | undefined> {
  const [row] = await selectTaskForUpdate(taskId).run(tx)
  return row
}

/** The row of an existing task, locked for the rest of the transaction. */
export async function requireTask(tx: Tx, taskId: string): Promise<TaskRow> {
  const row = await lockTask(tx, taskId)
  if (row === undefined) throw new Error(`${taskId} is not there`)
  return row
}

export async function findTaskEvent(
  tx: Tx,
  taskId: string,
  eventId: string,
): Promise<TaskEventRow | undefined> {
  const [row] = await selectTaskEvent(taskId, eventId).run(tx)
  return row
}

export type NewEvent = { taskId: string; eventId: string; entry: LedgerEntry; data: unknown }

/** Appends an event to the ledger of a locked task. The caller updates the task's row in the same transaction. */
export async function insertTaskEvent(
  tx: Tx,
  { taskId, eventId, entry, data }: NewEvent,
): Promise<void> {
  const row = {
    ...entry,
    task_id: taskId,
    event_id: eventId,
    data: canonicalJson(data),
    at: new Date(entry.at),
  }
  await insertEvent(row).run(tx)
}

export async function insertTask(tx: Tx, row: TaskRow): Promise<void> {
  await insertTaskRow(row).run(tx)
}

/** Writes the mutable columns of a locked row. */
export async function updateTask(tx: Tx, row: TaskRow): Promise<void> {
  const {
    task_id,
    agent_id: _,
    network: _n,
    rail: _r,
    tier: _t,
    usage: _u,
    on_gaps: _g,
    terms_sha256: _s,
    created_at: _c,
    ...rest
  } = row
  await tx.updateTable('tasks').set(rest).where('task_id', '=', task_id).execute()
}

const entryColumns = [
  'sequence',
  'event',
  'from_state',
  'to_state',
  'at',
  'actor',
  'data_sha256',
  'prev_hash',
  'hash',
] as const

/** The ledger of a task as callers see it, oldest entry first. */
export async function listLedger(
  tx: Tx,
  taskId: string,
  { from = 1, most = 1_000_000 }: { from?: number; most?: number } = {},
): Promise<LedgerEntry[]> {
  const rows = await tx
    .selectFrom('task_events')
    .select(entryColumns)
    .where('task_id', '=', taskId)
    .where('sequence', '>=', from)
    .orderBy('sequence')
    .limit(most)
    .execute()
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/** The ledger, with the data behind the digest of each entry. */
export async function listLedgerWithData(
  tx: Tx,
  taskId: string,
): Promise<(LedgerEntry & { data: Record<string, unknown> })[]> {
  const rows = await tx
    .selectFrom('task_events')
    .select([...entryColumns, 'data'])
    .where('task_id', '=', taskId)
    .orderBy('sequence')
    .execute()
  return rows.map((row) => ({
    ...row,
    at: row.at.toISOString(),
    data: row.data as Record<string, unknown>,
  }))
}

/** Stores a document of a task and returns its digest: the SHA-256 of the canonical JSON. */
export async function storeDocument(tx: Tx, taskId: string, body: unknown): Promise<string> {
  const text = canonicalJson(body)
  const sha256 = sha256Hex(text)
  const values = { task_id: taskId, sha256, body: text }
  await insertOnce(tx, 'task_documents', values)
  return sha256
}

/** Keeps with a task what was read from a file; an input of an agent that says the same becomes what it was read as. */
export async function storeExtraction(tx: Tx, taskId: string, read: Extraction): Promise<void> {
  const sha256 = await storeDocument(tx, taskId, read)
  await tx
    .updateTable('task_documents')
    .set({ kind: 'extraction' })
    .where('task_id', '=', taskId)
    .where('sha256', '=', sha256)
    .execute()
}

export const findDocument = (tx: Tx, taskId: string, sha256: string) =>
  findValue(tx, 'task_documents', { task_id: taskId, sha256 }, 'body')

/** What this service read from files, of all that the task's inputs named; only of these uploads, in a fixed order. */
export async function listExtractions(
  tx: Tx,
  taskId: string,
  uploads: readonly string[],
): Promise<Extraction[]> {
  if (uploads.length === 0) return []
  const rows = await tx
    .selectFrom('task_documents')
    .select('body')
    .where('task_id', '=', taskId)
    .where('kind', '=', 'extraction')
    .where(sql<boolean>`body->>'upload_sha256' = any(${uploads})`)
    .orderBy('sha256')
    .execute()
  return rows.flatMap(({ body }) => Extraction.safeParse(body).data ?? [])
}

/** Removes the input of a locked task that never ran, and what was read from its files. */
export async function dropTaskInput(tx: Tx, task: TaskRow): Promise<void> {
  if (task.input_sha256 === null) return
  await updateTask(tx, { ...task, input_sha256: null })
  await tx
    .deleteFrom('task_documents')
    .where('task_id', '=', task.task_id)
    .where(({ eb, or }) =>
      or([eb('sha256', '=', task.input_sha256), eb('kind', '=', 'extraction')]),
    )
    .execute()
}

/**
 * The number of active runs of this agent and of this rail; sandbox runs without an agent count only among themselves.
 * Until the transaction ends, no other transaction counts for the agent.
 */
export async function countAtWork(tx: Tx, task: TaskRow): Promise<{ agent: number; rail: number }> {
  const { agent_id, usage, rail } = task
  await sql`select pg_advisory_xact_lock(hashtextextended('run slots', 0))`.execute(tx)
  const { agent, onRail } = await tx
    .selectFrom('tasks')
    .select(({ fn, eb, or }) => [
      fn
        .countAll<string>()
        .filterWhere('agent_id', 'is not distinct from', agent_id)
        .filterWhere(or([eb('agent_id', 'is not', null), eb('usage', '=', usage)]))
        .as('agent'),
      fn
        .countAll<string>()
        .filterWhere('rail', '=', rail)
        .filterWhere(publicSandbox, '=', isPublicSandbox(task))
        .as('onRail'),
    ])
    .where('state', '=', 'operating')
    .executeTakeFirstOrThrow()
  return { agent: Number(agent), rail: Number(onRail) }
}

/**
 * When a waiting task should be done. By it, no run waits permanently behind later ones of higher tiers. Synthetic runs, which no one
 * pays for, aim to end after every paid run that came at the same time.
 */
const turnAt = sql`changed_at + make_interval(hours => case tier ${sql.join(
  tiers.map((tier) => sql`when ${tier} then ${turnaroundOf(tier)}::int`),
  sql` `,
)} end + case when usage = 'synthetic' then ${turnaroundOf('entry')}::int else 0 end)`

/**
 * The tasks that may take the place that this task has left, of its agent or on its rail, first those whose tier aims to end
 * first. Of each agent only as many as it has places for: `atOnce`, unless an operator decided otherwise.
 */
export async function listNextQueued(
  tx: Tx,
  task: TaskRow,
  { atOnce, most }: { atOnce: number; most: number },
): Promise<string[]> {
  const { agent_id, usage, rail } = task
  const { rows } = await sql<{ task_id: string }>`
    select task_id from (
      select task_id, state, rail, agent_id, pool, is_public_sandbox, turn_at,
        row_number() over (partition by agent_id, pool, state order by turn_at)
          + count(*) filter (where state = 'operating') over (partition by agent_id, pool) as would_be_nth
      from (select *, case when agent_id is null then usage end as pool,
          ${publicSandbox} as is_public_sandbox, ${turnAt} as turn_at from tasks) as pooled
      where state in ('queued', 'operating')
    ) as waiting left join agents using (agent_id)
    where state = 'queued' and ((rail = ${rail} and is_public_sandbox = ${isPublicSandbox(task)})
      or (agent_id is not distinct from ${agent_id}
        and pool is not distinct from ${agent_id === null ? usage : null}))
      and would_be_nth <= coalesce((agents.limits ->> 'concurrent_runs')::int, ${atOnce}::int)
    order by turn_at limit ${most}`.execute(tx)
  return rows.map(({ task_id }) => task_id)
}

/**
 * Tasks whose work an operator has to approve, and tasks that wait for evidence that an operator can waive. The tasks
 * of an undecided order are reviewed as that order, and sandbox runs without an agent are left to their callers.
 */
const inReview = (tx: Tx, { subjectId, state, rail, ...waits }: ReviewFilter) =>
  tx
    .selectFrom('tasks')
    .$if(subjectId !== undefined, (query) => query.where('task_id', '=', String(subjectId)))
    .where(publicSandbox, '=', false)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('work_order_tasks')
            .innerJoin('work_orders', 'work_orders.work_order_id', 'work_order_tasks.work_order_id')
            .select('work_orders.work_order_id')
            .whereRef('work_order_tasks.task_id', '=', 'tasks.task_id')
            .where('decision', 'is', null),
        ),
      ),
    )
    .where(({ eb, and, or }) =>
      or([
        and([eb('state', '=', 'credit_funded'), eb('review_decision', 'is', null)]),
        eb('state', '=', 'evidence_partial'),
      ]),
    )
    .where(waitingAs(waits, { since: 'changed_at', amount: totalOfQuote('tasks.quote_id') }))
    .$if(state !== undefined, (query) => query.where('state', '=', state as TaskRow['state']))
    .$if(rail !== undefined, (query) => query.where('rail', '=', rail as RailKey))

/** Tasks in review, longest waiting first. */
export async function listTasksInReview(
  tx: Tx,
  filter: ReviewFilter,
  most: number,
): Promise<TaskRow[]> {
  return inReview(tx, filter).selectAll().orderBy('changed_at').limit(most).execute()
}

export const countTasksInReview = (tx: Tx, filter: ReviewFilter): Promise<number> =>
  countOf(inReview(tx, filter))

/**
 * Tasks that are not closed, without sandbox runs that have no agent: first those in one of these states, then the most
 * recently changed.
 */
export async function listOpenTasks(
  tx: Tx,
  first: readonly string[],
  most: number,
): Promise<TaskRow[]> {
  return tx
    .selectFrom('tasks')
    .selectAll()
    .where('state', '<>', 'closed')
    .where(publicSandbox, '=', false)
    .orderBy(sql`state = any(${first}) desc, changed_at desc`)
    .limit(most)
    .execute()
}

/** Tasks of an agent that wait until the agent is trusted. */
export async function listAwaitingTrust(tx: Tx, agentId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('tasks')
    .select('task_id')
    .where('agent_id', '=', agentId)
    .where('state', '=', 'trust_pending')
    .execute()
  return rows.map(({ task_id }) => task_id)
}

/** How often a task began again on another input. */
export async function countReruns(tx: Tx, taskId: string): Promise<number> {
  return countOf(
    tx
      .selectFrom('task_events')
      .where('task_id', '=', taskId)
      .where('event', 'in', ['evidence_supplied', 'replayed'])
      .where(sql<boolean>`data->>'input_sha256' is not null`),
  )
}
