import { type Selectable, sql } from 'kysely'
import type { AgentSigningVersionsTable } from './agent-tables.ts'
import type { Tx } from './db.ts'

export type AgentSigningVersionRow = Selectable<AgentSigningVersionsTable>

/** Registers the first key of an agent; it signs for the agent from its activation on. */
export async function insertSigningVersion(
  tx: Tx,
  key: { agentId: string; version: number; keyId: string; publicKey: Record<string, unknown>; keySha256: string },
): Promise<void> {
  await tx
    .insertInto('agent_signing_versions')
    .values({
      agent_id: key.agentId,
      version: key.version,
      key_id: key.keyId,
      public_key: JSON.stringify(key.publicKey),
      key_sha256: key.keySha256,
      state: 'pending',
      not_before: null,
      retire_at: null,
      revoked_at: null,
    })
    .execute()
}

/** Activates the version of an agent that is pending; nothing when none is. */
export async function activateSigningVersion(tx: Tx, agentId: string): Promise<void> {
  await tx
    .updateTable('agent_signing_versions')
    .set({ state: 'active', not_before: sql<Date>`clock_timestamp()` })
    .where('agent_id', '=', agentId)
    .where('state', '=', 'pending')
    .execute()
}

/** The keys that speak for an agent now: the active one, one that retires later, and before trust the registered one. */
export async function listSpeakingKeys(tx: Tx, agentId: string): Promise<AgentSigningVersionRow[]> {
  return tx
    .selectFrom('agent_signing_versions')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where((is) =>
      is.or([
        is('state', 'in', ['pending', 'active']),
        is.and([is('state', '=', 'retiring'), is('retire_at', '>', sql<Date>`clock_timestamp()`)]),
      ]),
    )
    .orderBy('version', 'desc')
    .execute()
}
