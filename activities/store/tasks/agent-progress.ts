import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { listRows } from '../postgres/rows.ts'

/** The onboarding progress of an agent. */
export type AgentProgress = {
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
