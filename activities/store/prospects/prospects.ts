import { type Insertable, sql } from 'kysely'
import {
  type ProspectState,
  prospectStates,
  type SprintCounts,
} from '#domain/prospects/prospect.ts'
import type { Tx } from '../postgres/db.ts'
import { record } from '../postgres/record.ts'
import {
  COUNTED_MAX,
  insertOnce,
  insertRow,
  isGiven,
  listRows,
  type Page,
  type Row,
  readRows,
  upTo,
} from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

/** A prospect with the state in which it is now. */
export type ProspectRow = Row<'prospects'> & { state_now: ProspectState }
export type ProspectEventRow = Row<'prospect_events'>

/** Another one with the agent and account of a prospect is not stored. */
export const prospects = record('prospects', 'prospect_id', 'prospect')

/** Keeps the end of a sprint away while something of it is recorded; the end takes the lock alone. */
export async function holdSprint(tx: Tx, alone = false): Promise<void> {
  const key = sql`hashtextextended('sprint', 0)`
  await (alone
    ? sql`select pg_advisory_xact_lock(${key})`
    : sql`select pg_advisory_xact_lock_shared(${key})`
  ).execute(tx)
}

/** Binds a prospect to whose paid runs are its own; false where it is bound, or another has this agent and account. */
export async function bindProspect(
  tx: Tx,
  prospectId: string,
  { agent_id, customer_account }: { agent_id: string; customer_account: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    update prospects set agent_id = ${agent_id}, customer_account = ${customer_account}, state_since = clock_timestamp()
    where prospect_id = ${prospectId} and agent_id is null and not exists (select from prospects other
      where other.agent_id = ${agent_id} and coalesce(other.customer_account, '') = coalesce(${customer_account}::text, ''))
    returning prospect_id`.execute(tx)
  return rows.length > 0
}

/** Appends an event of a locked prospect; a message that was recorded before is not recorded again. */
export async function appendProspectEvent(
  tx: Tx,
  event: Omit<Insertable<Database['prospect_events']>, 'seq' | 'at'>,
): Promise<void> {
  const seq = sql<number>`(select coalesce(max(seq), 0) + 1 from prospect_events where prospect_id = ${event.prospect_id})`
  await insertOnce(tx, 'prospect_events', { ...event, seq })
}

/** Whether the prospect wrote this, as its record says. */
export async function hasWritten(tx: Tx, prospectId: string, sha256: string): Promise<boolean> {
  const { rows } = await sql`select from prospect_events where prospect_id = ${prospectId}
    and event = 'message_received' and message_sha256 = ${sha256}`.execute(tx)
  return rows.length > 0
}

export type ProspectFilter = {
  prospectId?: string | undefined
  states?: readonly ProspectState[] | undefined
}

/** A page of prospects, the newest first. */
export function listProspects(
  tx: Tx,
  { prospectId, states }: ProspectFilter,
  page: Page,
): Promise<ProspectRow[]> {
  const from = sql`from prospects join prospects_now using (prospect_id)
    where ${isGiven('prospect_id', prospectId)}
      and ${states === undefined ? sql`true` : sql`state_now = any(${[...states]})`}`
  const columns = sql`prospects.*, state_now`
  const order = sql`created_at desc, prospect_id`
  return readRows<ProspectRow>(tx, { columns, from, order }, page)
}

/** The number of prospects by their state now. */
export async function countProspects(tx: Tx): Promise<Record<ProspectState, number>> {
  const { rows } = await sql<{ state: ProspectState; count: number }>`
    select state_now as state, count(*)::int as count from prospects_now group by 1 order by 1`.execute(
    tx,
  )
  const counted = (of: ProspectState) => rows.find(({ state }) => state === of)?.count ?? 0
  const counts = prospectStates.map((state) => [state, counted(state)] as const)
  return Object.fromEntries(counts) as Record<ProspectState, number>
}

/** What happened to these prospects, the oldest first. */
export async function listProspectEvents(
  tx: Tx,
  prospectIds: readonly string[],
): Promise<ProspectEventRow[]> {
  if (prospectIds.length === 0) return []
  return listRows(tx, 'prospect_events', { prospect_id: prospectIds }, ['prospect_id', 'seq'])
}

export type Sprint = { sprint: number; started_at: Date | null; actual: SprintCounts }

/**
 * The sprint that is under way: since the last one was closed, or since the first prospect. Its counts are of the records since then, each
 * up to `COUNTED_MAX`: paid runs are looked for among the last ones of the prospects that were changed last.
 */
export async function readSprint(tx: Tx): Promise<Sprint> {
  const counted = (events: string) =>
    upTo(`select from prospect_events e where e.at >= began.at and ${events}`)
  const { rows } = await sql<Omit<Sprint, 'actual'> & SprintCounts>`
    with began as (select coalesce(max(sprint), 0) + 1 as sprint, coalesce(max(at), (select min(created_at) from prospects)) as at
      from (select sprint, at from sprint_summaries where closes order by sprint desc limit 1) closed)
    select sprint, began.at as started_at,
      ${counted("e.event = 'message_sent' and e.channel is not null")} as messages_sent,
      ${counted("e.event = 'moved' and e.state = 'qualified' and e.cites is not null")} as qualified_conversations,
      (select count(distinct task_id)::int from (${sql.raw(paidSince)} limit ${COUNTED_MAX}) paid) as paid_runs
    from began`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('a sprint is always under way')
  const { sprint, started_at, ...actual } = row
  return { sprint, started_at, actual }
}

/** Paid runs that completed since `began.at`; the run of two prospects is there twice. */
const paidSince = `
  select t.task_id from (select prospect_id, agent_id from prospects where agent_id is not null
      order by state_since desc, prospect_id limit ${COUNTED_MAX}) p
    cross join lateral (select task_id from tasks where agent_id = p.agent_id and usage = 'operational'
      and entitlement_id is not null and changed_at >= began.at order by changed_at desc limit ${COUNTED_MAX}) t
    cross join lateral (select from prospect_paid_runs r where r.prospect_id = p.prospect_id
      and r.task_id = t.task_id and r.completed_at >= began.at limit 1) paid`

export async function insertSummary(
  tx: Tx,
  summary: Omit<Insertable<Database['sprint_summaries']>, 'seq' | 'at'>,
): Promise<void> {
  const seq = sql<number>`(select coalesce(max(seq), 0) + 1 from sprint_summaries where sprint = ${summary.sprint})`
  await insertRow(tx, 'sprint_summaries', { ...summary, seq })
}
