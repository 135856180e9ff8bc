import { type Selectable, sql } from 'kysely'
import type { Scope } from '#domain/agents/credential.ts'
import { limits } from '#domain/core/limits.ts'
import type { Tx } from '../postgres/db.ts'
import { countEach, insertOnce, insertRow, listRows, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'
import type { AgentRow } from './agents.ts'

export type CredentialRow = Selectable<Database['agent_credentials']>
/**
 * A credential, the trust of its agent and the age that its account allows, read in one statement. `readAt` is the time of Postgres in Unix seconds,
 * with a fraction.
 */
export type CredentialOfAgent = CredentialRow &
  Pick<AgentRow, 'trust_state' | 'limits' | 'sandbox'> & {
    readAt: number
    maxAgeDays: number | null
  }

const withTrust = (tx: Tx) =>
  tx
    .selectFrom('agent_credentials as c')
    .innerJoin('agents as a', 'a.agent_id', 'c.agent_id')
    .selectAll('c')
    .select(['a.trust_state', 'a.limits', 'a.sandbox'])
    .select(
      sql<
        number | null
      >`(select credential_max_age_days from account_controls where account_id = a.account_id)`.as(
        'maxAgeDays',
      ),
    )
    .select(sql<number>`extract(epoch from clock_timestamp())::float8`.as('readAt'))

/** Reads the credential and its agent's trust. Every call reads it again, so that a revocation takes effect at once. */
export async function findCredential(
  tx: Tx,
  credentialId: string,
): Promise<CredentialOfAgent | undefined> {
  return withTrust(tx).where('c.credential_id', '=', credentialId).executeTakeFirst()
}

/** The same; a revocation, and a change of the agent's trust or limits, wait until the transaction ends. */
export async function holdCredential(
  tx: Tx,
  credentialId: string,
): Promise<CredentialOfAgent | undefined> {
  return withTrust(tx).where('c.credential_id', '=', credentialId).forShare().executeTakeFirst()
}

/** The active credential of an agent, and its agent's trust. */
export async function findActiveCredential(
  tx: Tx,
  agentId: string,
): Promise<CredentialOfAgent | undefined> {
  return withTrust(tx)
    .where('c.agent_id', '=', agentId)
    .where('c.state', '=', 'active')
    .orderBy('c.version', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** All credentials of an agent, newest first. */
export const listCredentials = (tx: Tx, agentId: string) =>
  listRows(tx, 'agent_credentials', { agent_id: agentId }, ['version desc'])

/**
 * Stores a pending credential. It becomes valid when it is claimed; the previous one then stays valid for
 * `overlapSeconds`.
 */
export async function insertCredential(
  tx: Tx,
  credential: {
    credentialId: string
    agentId: string
    version: number
    scopes: Scope[]
    rails: string[]
    overlapSeconds: number
  },
): Promise<void> {
  const { credentialId, agentId, version, scopes, rails, overlapSeconds } = credential
  await insertRow(tx, 'agent_credentials', {
    credential_id: credentialId,
    agent_id: agentId,
    version,
    state: 'pending',
    secret_sha256: null,
    scopes: JSON.stringify(scopes),
    rails: JSON.stringify(rails),
    overlap_seconds: overlapSeconds,
    claimed_at: null,
    expires_at: null,
    retire_at: null,
    revoked_at: null,
  })
}

/**
 * Moves the credential from `pending` to `active` and stores the digest of its secret. The previous active one starts
 * to retire. The caller holds the agent's lock.
 */
export async function claimCredential(
  tx: Tx,
  credential: CredentialRow,
  secretSha256: string,
): Promise<CredentialRow> {
  await tx
    .updateTable('agent_credentials')
    .set({ state: 'retiring', retire_at: after(credential.overlap_seconds) })
    .where('agent_id', '=', credential.agent_id)
    .where('state', '=', 'active')
    .execute()
  return tx
    .updateTable('agent_credentials')
    .set({
      state: 'active',
      secret_sha256: secretSha256,
      claimed_at: now,
      expires_at: after(limits.credentialLifeSeconds),
    })
    .where('credential_id', '=', credential.credential_id)
    .where('state', '=', 'pending')
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Revokes a credential in any state. After the commit no process accepts it. */
export async function revokeCredential(tx: Tx, credentialId: string): Promise<CredentialRow> {
  return tx
    .updateTable('agent_credentials')
    .set({ state: 'revoked', revoked_at: now })
    .where('credential_id', '=', credentialId)
    .where('state', '<>', 'revoked')
    .returningAll()
    .executeTakeFirstOrThrow()
}

const after = (seconds: number) => sql<Date>`clock_timestamp() + ${seconds} * interval '1 second'`

/** The result of checking a presented credential. */
type CredentialAudit = {
  auditEventId: string
  operationId: string
  credentialId: string | null
  decision: 'allow' | 'deny'
  reasons: readonly string[]
}

/** Appends the result of a check. Storing the same event again changes nothing. */
export async function insertAudit(tx: Tx, audit: CredentialAudit): Promise<void> {
  const { auditEventId, operationId, credentialId, decision, reasons } = audit
  await insertOnce(tx, 'credential_audits', {
    audit_event_id: auditEventId,
    operation_id: operationId,
    credential_id: credentialId,
    decision,
    reasons: JSON.stringify(reasons),
  })
}

/** A check by the id of its event. */
export const findAudit = (tx: Tx, auditEventId: string) =>
  tx
    .selectFrom('credential_audits')
    .select(['audit_event_id', 'operation_id', 'decision', 'reasons', 'at'])
    .where('audit_event_id', '=', auditEventId)
    .executeTakeFirst()

/** The number of checks by their result, each up to `COUNTED_MAX`. */
export async function countAudits(tx: Tx): Promise<Record<'allow' | 'deny', number>> {
  const rows = sql`select from credential_audits where decision = value`
  return { allow: 0, deny: 0, ...(await countEach(tx, ['allow', 'deny'], rows)) }
}
