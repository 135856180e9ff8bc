import { sql } from 'kysely'
import type { AgentRow } from '../agents/agents.ts'
import type { Tx } from '../postgres/db.ts'
import { containing } from '../postgres/rows.ts'
import type { ReviewDecisionRow } from '../reviews/review-decisions.ts'

/** An agent in the list of operators, with its newest access key and the work that it has. */
export type AgentLine = {
  agent_id: string
  name: string
  sandbox: boolean
  trust_state: AgentRow['trust_state']
  trust_since: Date
  rails: string[]
  limits: Record<string, unknown> | null
  credential_id: string | null
  credential_state: string | null
  credential_expires_at: Date | null
  open_tasks: number
  created_at: Date
}

export type AgentLineFilter = { text?: string | undefined; state?: string | undefined }

/** Agents whose id, account, name or e-mail address has the text, the newest first. */
export async function listAgentLines(
  tx: Tx,
  { text, state }: AgentLineFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<AgentLine[]> {
  const like = text === undefined ? null : containing(text)
  const { rows } = await sql<AgentLine>`
    select a.agent_id, a.name, a.sandbox, a.trust_state, a.trust_since, a.rails, a.limits, a.created_at,
      c.credential_id, c.state as credential_state, c.expires_at as credential_expires_at,
      (select count(*)::int from tasks t where t.agent_id = a.agent_id and t.state <> 'closed') as open_tasks
    from (select * from agents
      where (${state ?? null}::text is null or trust_state = ${state ?? null})
        and (${like}::text is null or agent_id = ${text ?? null} or account_id = ${text ?? null} or name ilike ${like} or contact->>'email' ilike ${like})
      order by created_at desc, agent_id offset ${offset} limit ${limit}) a
    left join lateral (select * from agent_credentials k where k.agent_id = a.agent_id order by k.version desc limit 1) c on true
    order by a.created_at desc, a.agent_id`.execute(tx)
  return rows
}

/** A decision about the trust of an agent. */
export type TrustDecision = Pick<
  ReviewDecisionRow,
  'decision' | 'note' | 'limits' | 'operator_name' | 'decided_at' | 'receipt_id'
>

/** The decisions about an agent, the newest first. */
export async function listTrustDecisions(
  tx: Tx,
  agentId: string,
  most: number,
): Promise<TrustDecision[]> {
  return tx
    .selectFrom('review_decisions')
    .select(['decision', 'note', 'limits', 'operator_name', 'decided_at', 'receipt_id'])
    .where('subject_kind', '=', 'agent')
    .where('subject_id', '=', agentId)
    .orderBy('seq', 'desc')
    .limit(most)
    .execute()
}
