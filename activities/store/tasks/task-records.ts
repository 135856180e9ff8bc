import { type Selectable, sql } from 'kysely'
import { type AgentRecordKind, type RecordKind, recordKinds } from '#domain/core/record-kinds.ts'
import type { Tx } from '../postgres/db.ts'
import { listRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type TaskRecord = Selectable<Database['task_records']>

/** More records of a task are not listed; only reported usage has no bound of its own. */
const LISTED_MAX = 1_000

/**
 * The runtime records of a task, grouped by kind in the order of the specification, oldest first: those of one kind, or all but its
 * ledger.
 */
export async function listTaskRecords(
  tx: Tx,
  taskId: string,
  kind?: RecordKind,
): Promise<TaskRecord[]> {
  const rows = await tx
    .selectFrom('task_records')
    .selectAll()
    .where('task_id', '=', taskId)
    .$if(kind === undefined, (query) => query.where('record_kind', '<>', 'lifecycle_event'))
    .$if(kind !== undefined, (query) => query.where('record_kind', '=', kind as RecordKind))
    .orderBy('recorded_at')
    .orderBy('record_id')
    .limit(LISTED_MAX)
    .execute()
  return recordKinds.flatMap((one) => rows.filter(({ record_kind }) => record_kind === one))
}

type AgentRecord = Omit<TaskRecord, 'task_id'>

/** The newest records of an agent of one kind. */
export async function listAgentRecords(
  tx: Tx,
  agentId: string,
  { kind, most }: { kind: AgentRecordKind; most: number },
): Promise<AgentRecord[]> {
  const { rows } = await sql<AgentRecord>`
    select ${kind} as record_kind, record_id, recorded_at from (${sourceOf(kind, agentId)}) found
    order by recorded_at desc, record_id limit ${most}`.execute(tx)
  return rows
}

/** Each row names its kind itself, but for the route, which stands in its quote. */
function sourceOf(kind: AgentRecordKind, agentId: string) {
  switch (kind) {
    case 'onboarding':
      return sql`select receipt_id as record_id, issued_at as recorded_at from receipts where subject = ${agentId} and kind = ${kind} and set_aside_at is null`
    case 'trust_profile':
      return sql`select agent_id as record_id, created_at as recorded_at from agents where agent_id = ${agentId} and record_kind = ${kind}`
    case 'credential_envelope':
      return sql`select credential_id as record_id, created_at as recorded_at from agent_credentials where agent_id = ${agentId} and record_kind = ${kind}`
    case 'quote':
      return sql`select quote_id as record_id, issued_at as recorded_at from quotes where bound_to = ${agentId} and record_kind = ${kind}`
    case 'provider_route':
      return sql`select provider_route->>'route_id' as record_id, issued_at as recorded_at from quotes where bound_to = ${agentId}`
    case 'credit_entitlement':
      return sql`select entitlement_id as record_id, created_at as recorded_at from entitlements where agent_id = ${agentId} and record_kind = ${kind}`
  }
}

/** The onboarding progress of an agent. */
type AgentProgress = {
  registered: boolean
  quoted: boolean
  contracted: boolean
  submitted: boolean
}

/**
 * Whether the agent registered, asked for a quote, accepted a contract and gave a run its input, as its records show.
 */
export async function readProgress(tx: Tx, agentId: string): Promise<AgentProgress> {
  const { rows } = await sql<AgentProgress>`
    select exists (select from receipts where subject = ${agentId} and kind = 'onboarding' and set_aside_at is null) as registered,
      exists (select from quotes where bound_to = ${agentId}) as quoted,
      exists (select from contracts join tasks using (task_id) where agent_id = ${agentId} and accepted_at is not null) as contracted,
      exists (select from tasks where agent_id = ${agentId} and input_sha256 is not null) as submitted`.execute(
    tx,
  )
  return rows[0] as AgentProgress
}

/** The newest tasks of an agent. */
export const listTasksOf = (tx: Tx, agentId: string, most: number) =>
  listRows(tx, 'tasks', { agent_id: agentId }, ['created_at desc', 'task_id'], most)
