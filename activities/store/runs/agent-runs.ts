import { sql } from 'kysely'
import type { RailKey } from '#domain/rails/rail.ts'
import { type LoopStep, loopSteps } from '#domain/tasks/controlled-loop.ts'
import type { TaskEvent, TaskState } from '#domain/tasks/lifecycle.ts'
import type { Tx } from '../postgres/db.ts'
import { COUNTED_MAX, findFirst, findValue } from '../postgres/rows.ts'
import type { TaskRow } from '../tasks/tasks.ts'

/** The task of a run. The run's id is known before the run starts. */
export async function findTaskOfRun(tx: Tx, runId: string): Promise<TaskRow | undefined> {
  return tx
    .selectFrom('tasks')
    .selectAll()
    .where(sql<string>`run_id_of(task_id)`, '=', runId)
    .executeTakeFirst()
}

/** The first task that credit was reserved for. */
export const findTaskOfCredit = (tx: Tx, entitlementId: string) =>
  findFirst(tx, 'tasks', { entitlement_id: entitlementId }, ['created_at'])

export type RunFilter = {
  agentId?: string
  state?: TaskState | undefined
  rail?: RailKey | undefined
  /** Only synthetic runs of callers without an agent. */
  sandbox?: true
}

const runsOf = (tx: Tx, { agentId, state, rail, sandbox }: RunFilter) =>
  tx
    .selectFrom('tasks')
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
    .$if(state !== undefined, (query) => query.where('state', '=', state as TaskState))
    .$if(rail !== undefined, (query) => query.where('rail', '=', rail as RailKey))
    .$if(sandbox === true, (query) =>
      query.where('agent_id', 'is', null).where('usage', '=', 'synthetic'),
    )

/** The runs of an agent, or of all agents, newest first. */
export async function listRunsOf(
  tx: Tx,
  filter: RunFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<TaskRow[]> {
  return runsOf(tx, filter)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('task_id')
    .offset(offset)
    .limit(limit)
    .execute()
}

/** The newest `COUNTED_MAX` runs by their state, of an agent or of all agents. States without a run are left out. */
export async function countRunsOf(
  tx: Tx,
  filter: RunFilter,
): Promise<Partial<Record<TaskState, number>>> {
  const newest = runsOf(tx, filter)
    .select('state')
    .orderBy('created_at', 'desc')
    .orderBy('task_id')
    .limit(COUNTED_MAX)
  const rows = await tx
    .selectFrom(newest.as('newest'))
    .select('state')
    .select(sql<number>`count(*)::int`.as('count'))
    .groupBy('state')
    .orderBy('state')
    .execute()
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** The last sequence number of a task's ledger. Every transition changes it. */
export const readSequence = (tx: Tx, taskId: string) =>
  findValue(tx, 'tasks', { task_id: taskId }, 'sequence')

/** The latest event of this kind in a task's ledger: its id and its data. */
export async function latestEvent(
  tx: Tx,
  taskId: string,
  event: TaskEvent,
): Promise<{ event_id: string; data: Record<string, unknown> } | undefined> {
  const row = await tx
    .selectFrom('task_events')
    .select(['event_id', 'data'])
    .where('task_id', '=', taskId)
    .where('event', '=', event)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { event_id: row.event_id, data: row.data as Record<string, unknown> }
}

/** Whether the ledger of a task holds an event of this name. */
export const hasEvent = async (tx: Tx, taskId: string, event: TaskEvent): Promise<boolean> =>
  (await latestEvent(tx, taskId, event)) !== undefined

/** How many runs of a step are counted at most, so that a read costs the same however many runs there are. */
export const RUNS_COUNTED_MAX = 1_000

/** The runs that are at each step now; with a rail, those of it among the runs that are counted. */
export async function countAtSteps(
  tx: Tx,
  rail: RailKey | undefined,
): Promise<Record<LoopStep, number>> {
  const ofRail = sql`join tasks t on t.task_id = r.task_id and t.rail = ${rail ?? ''}`
  const { rows } = await sql<{ step: LoopStep; runs: number }>`
    select s.step, (select count(*)::int from (
        select task_id from runs where step = s.step limit ${RUNS_COUNTED_MAX}
      ) r ${rail === undefined ? sql`` : ofRail}) as runs
    from unnest(${[...loopSteps]}::text[]) s(step)`.execute(tx)
  return Object.fromEntries(rows.map(({ step, runs }) => [step, runs])) as Record<LoopStep, number>
}
