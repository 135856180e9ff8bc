import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { findRow } from '../postgres/rows.ts'

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
