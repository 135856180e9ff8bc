import { type Selectable, sql } from 'kysely'
import { agentKeyId } from '#domain/agents/statement.ts'
import type { Tx } from '../postgres/db.ts'
import { COUNTED_MAX, findRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type AgentSigningVersionRow = Selectable<Database['agent_signing_versions']>

export type NewSigningVersion = {
  agentId: string
  version: number
  publicKey: Record<string, unknown>
  keySha256: string
}

/** Registers a key that signs for the agent after its activation. Returns false if an agent already has this key. */
export async function insertSigningVersion(tx: Tx, key: NewSigningVersion): Promise<boolean> {
  const inserted = await tx
    .insertInto('agent_signing_versions')
    .values({
      agent_id: key.agentId,
      version: key.version,
      key_id: agentKeyId(key.agentId, key.version),
      public_key: JSON.stringify(key.publicKey),
      key_sha256: key.keySha256,
      state: 'pending',
      not_before: null,
      retire_at: null,
      revoked_at: null,
    })
    .onConflict((conflict) => conflict.column('key_sha256').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/**
 * Takes its key from an agent whose holder never showed that it has the key: neither by signing the registration nor in a handshake.
 * Returns false where it did. The caller holds the agent's lock.
 */
export async function takeKeyBack(tx: Tx, agentId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from agent_signing_versions where agent_id = ${agentId}
      and not exists (select from agents a join calls c on c.call_id = a.registration_call
        where a.agent_id = ${agentId} and c.caller = 'key:' || a.key_sha256)
      and not exists (select from calls where caller = ${`agent:${agentId}`} and operation = 'handshake' and answer_state <> 'open')
      and not exists (select from agent_credentials where agent_id = ${agentId} and claimed_at is not null)`.execute(
    tx,
  )
  return numAffectedRows > 0n
}

/** The newest keys of an agent, the last one first. */
export async function listSigningVersions(
  tx: Tx,
  agentId: string,
): Promise<AgentSigningVersionRow[]> {
  return tx
    .selectFrom('agent_signing_versions')
    .selectAll()
    .where('agent_id', '=', agentId)
    .orderBy('version', 'desc')
    .limit(COUNTED_MAX)
    .execute()
}

/** A key of an agent by its id, however old. */
export const findSigningVersion = (tx: Tx, agentId: string, keyId: string) =>
  findRow(tx, 'agent_signing_versions', { agent_id: agentId, key_id: keyId })

/** Retires the active key at the end of the overlap. */
export async function retireSigningVersion(
  tx: Tx,
  agentId: string,
  overlapSeconds: number,
): Promise<void> {
  await tx
    .updateTable('agent_signing_versions')
    .set({
      state: 'retiring',
      retire_at: sql<Date>`clock_timestamp() + ${overlapSeconds} * interval '1 second'`,
    })
    .where('agent_id', '=', agentId)
    .where('state', '=', 'active')
    .execute()
}

/** Revokes every key of an agent except pending ones. */
export async function revokeSigningVersions(tx: Tx, agentId: string): Promise<void> {
  await tx
    .updateTable('agent_signing_versions')
    .set({ state: 'revoked', revoked_at: sql<Date>`clock_timestamp()` })
    .where('agent_id', '=', agentId)
    .where('state', 'in', ['active', 'retiring', 'retired'])
    .execute()
}

/** Activates the pending key of an agent, if there is one. */
export async function activateSigningVersion(tx: Tx, agentId: string): Promise<void> {
  await tx
    .updateTable('agent_signing_versions')
    .set({ state: 'active', not_before: sql<Date>`clock_timestamp()` })
    .where('agent_id', '=', agentId)
    .where('state', '=', 'pending')
    .execute()
}

/**
 * The keys that may sign for an agent now: the active one, one that retires later and, before the agent is trusted,
 * the registered one.
 */
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
