import { type Kysely, sql } from 'kysely'
import { transaction } from '../../activities/store/postgres/db.ts'
import type { Database } from '../../activities/store/schema/schema.ts'

/** Copies of a registered agent that wait for trust, each with an account, a key and a token of its own. */
export async function copyAgents(db: Kysely<Database>, count: number): Promise<void> {
  const digest = (text: string) => sql.raw(`encode(sha256((${text})::bytea), 'hex')`)
  await transaction(db, async (tx) => {
    await sql`insert into accounts (account_id, name, owner_agent_id)
      select 'acc_' || ${digest("'a' || n")}, 'copy ' || n, 'agt_' || ${digest("'g' || n")}
      from generate_series(1, ${count}) n`.execute(tx)
    await sql`insert into agents (agent_id, account_id, name, contact, capabilities, rails, protocols, requested_scopes, public_key,
        key_sha256, sandbox, status_token_sha256, trust_state, trust_since)
      select 'agt_' || ${digest("'g' || n")}, 'acc_' || ${digest("'a' || n")}, 'copy ' || n, contact, capabilities, rails, protocols,
        requested_scopes, public_key, ${digest("'k' || n")}, sandbox, ${digest("'t' || n")}, 'submitted',
        clock_timestamp() - n * interval '1 second'
      from (select * from agents where not sandbox limit 1) one, generate_series(1, ${count}) n`.execute(
      tx,
    )
  })
}
