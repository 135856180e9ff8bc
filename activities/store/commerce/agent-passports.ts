import { sql } from 'kysely'
import type { TrustState } from '#domain/agents/trust.ts'
import type { Tx } from '../postgres/db.ts'
import { COUNTED_MAX, findRow } from '../postgres/rows.ts'

/** The passport of an agent that was signed last. */
export const findAgentPassport = (tx: Tx, agent_id: string) =>
  findRow(tx, 'agent_passports', { agent_id })

/** Keeps a passport for its agent in place of one that states something else; answers the one that is kept. */
export async function keepAgentPassport(
  tx: Tx,
  passport: { agent_id: string; stated_sha256: string; jws: string },
): Promise<string> {
  const { agent_id, stated_sha256, jws } = passport
  await tx
    .insertInto('agent_passports')
    .values(passport)
    .onConflict((conflict) =>
      conflict
        .column('agent_id')
        .doUpdateSet({ stated_sha256, jws, signed_at: sql<Date>`clock_timestamp()` })
        .where('agent_passports.stated_sha256', '<>', stated_sha256),
    )
    .execute()
  const kept = await findAgentPassport(tx, agent_id)
  return kept?.stated_sha256 === stated_sha256 ? kept.jws : jws
}

/** What the records say about an agent; `listed`: it is trusted and publishes its profile. */
type StandingRow = {
  agent_id: string
  trust_state: TrustState
  listed: boolean
  credential_bound: boolean
}

export async function findStanding(tx: Tx, agentId: string): Promise<StandingRow | undefined> {
  const { rows } = await sql<StandingRow>`
    select a.agent_id, a.trust_state, a.publish_profile and a.trust_state = 'trusted' as listed,
      exists (select from agent_credentials c where c.agent_id = a.agent_id and c.revoked_at is null
        and c.expires_at > clock_timestamp()) as credential_bound
    from agents a where a.agent_id = ${agentId}`.execute(tx)
  return rows[0]
}

type WorkCounts = { completed_runs: number; verified_receipts: number; open_exceptions: number }

/**
 * The operational work of an agent, up to `COUNTED_MAX` of its newest tasks: runs that completed, receipts about them whose key was
 * good and that are in the log, and exceptions that are not closed.
 */
export async function countStanding(tx: Tx, agentId: string): Promise<WorkCounts> {
  const { rows } = await sql<WorkCounts>`
    with own as (select t.task_id, t.run_id from tasks t where t.agent_id = ${agentId} and t.usage = 'operational'
      order by t.created_at desc, t.task_id limit ${COUNTED_MAX}),
      completed as (select o.* from own o where exists (select from task_events e
        where e.task_id = o.task_id and e.event = 'receipts_issued'))
    select
      (select count(*)::int from completed) as completed_runs,
      (select count(*)::int from completed c join receipts r on r.subject in (c.task_id, c.run_id)
        join signing_keys k on k.ring = 'receipt' and k.kid = r.kid and (k.revoked_at is null or r.issued_at < k.revoked_at)
        join log_leaves l on l.entry = log_entry(r.jws)) as verified_receipts,
      (select count(*)::int from own join task_exceptions e using (task_id)
        where e.closed_at is null and e.resume_state is not null) as open_exceptions`.execute(tx)
  const [counts] = rows
  if (counts === undefined) throw new Error('Postgres counted nothing')
  return counts
}
