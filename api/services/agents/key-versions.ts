import { type KeyState, stateNow } from '#domain/agents/credential.ts'
import { refuse } from '#domain/core/errors.ts'
import { isoTime, unixSeconds } from '#domain/core/time.ts'
import { keyState } from '../../../activities/keys/published-key.ts'
import type { CredentialRow } from '../../../activities/store/agents/agent-credentials.ts'
import {
  type AgentSigningVersionRow,
  listSigningVersions,
} from '../../../activities/store/agents/agent-signing-versions.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { listPublicKeys, type SigningKeyRow } from '../../../activities/store/keys/signing-keys.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { clockSeconds } from '../../../activities/store/postgres/db.ts'

/** One version of a key, as any caller may see it; `public_key` is null for an access key, which has no public half. */
export type KeyVersion = {
  version: number
  key_id: string
  public_key: { kty: 'OKP'; crv: 'Ed25519'; x: string } | null
  state: KeyState
  not_before: string | null
  retire_at: string | null
  revoked_at: string | null
}

/** The ring with which the service signs what agents state. */
export const STATEMENT_RING = 'agent-statement'

export function agentKeyVersion(row: AgentSigningVersionRow, nowSeconds: number): KeyVersion {
  const { version, key_id, public_key, not_before } = row
  return {
    version,
    key_id,
    public_key: okp(public_key),
    not_before: isoTime(not_before),
    ...endOf(row, nowSeconds),
  }
}

export function accessKeyVersion(row: CredentialRow, nowSeconds: number): KeyVersion {
  const { version, credential_id, claimed_at } = row
  return {
    version,
    key_id: credential_id,
    public_key: null,
    not_before: isoTime(claimed_at),
    ...endOf(row, nowSeconds),
  }
}

/** The versions of an agent's signing key, or of the service's key for statements, newest first; throws 404 for an unknown agent. */
export async function readKeyVersions(db: Tx, agentId?: string) {
  if (agentId === undefined) {
    const versions = (await listStatementKeys(db)).map(serviceKeyVersion)
    return { owner: 'service' as const, versions: versions.reverse() }
  }
  if ((await findAgent(db, agentId)) === undefined)
    throw refuse('not_found', { detail: 'no such agent' })
  const now = await clockSeconds(db)
  return {
    owner: agentId,
    versions: (await listSigningVersions(db, agentId)).map((row) => agentKeyVersion(row, now)),
  }
}

/** The service's keys for statements with their versions, oldest first. */
export async function listStatementKeys(db: Tx): Promise<(SigningKeyRow & { version: number })[]> {
  const keys = (await listPublicKeys(db)).filter(({ ring }) => ring === STATEMENT_RING)
  return keys.map((key, index) => ({ ...key, version: index + 1 }))
}

function serviceKeyVersion(key: SigningKeyRow & { version: number }): KeyVersion {
  const { version, kid, public_jwk, activated_at, retired_at, revoked_at } = key
  const standing = keyState(key)
  return {
    version,
    key_id: kid,
    public_key: okp(public_jwk),
    state: standing === 'published' ? 'pending' : standing,
    not_before: isoTime(activated_at),
    retire_at: isoTime(retired_at),
    revoked_at: isoTime(revoked_at),
  }
}

type Ending = { state: KeyState; retire_at: Date | null; revoked_at: Date | null }

const endOf = ({ state, retire_at, revoked_at }: Ending, nowSeconds: number) => ({
  state: stateNow({ state, retireAt: unixSeconds(retire_at) }, nowSeconds),
  retire_at: isoTime(retire_at),
  revoked_at: isoTime(revoked_at),
})

const okp = ({ x }: Record<string, unknown>) => ({
  kty: 'OKP' as const,
  crv: 'Ed25519' as const,
  x: String(x),
})
