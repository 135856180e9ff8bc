import { z } from 'zod'
import {
  AGENT_STATEMENT_TYP,
  agentOfKeyId,
  type KeyLife,
  keyStateAt,
  type StatementKeyState,
} from '#domain/agents/statement.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { limits } from '#domain/core/limits.ts'
import { unixSeconds } from '#domain/core/time.ts'
import {
  type CompactParts,
  decodeCompact,
  signCompact,
  verifySignature,
} from '../../../activities/keys/compact.ts'
import type { KeyRings } from '../../../activities/keys/key-ring.ts'
import { readKeyStatus } from '../../../activities/keys/key-status.ts'
import { insertAudit } from '../../../activities/store/agents/agent-credentials.ts'
import { findSigningVersion } from '../../../activities/store/agents/agent-signing-versions.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { listStatementKeys, STATEMENT_RING } from './key-versions.ts'

/** The content of a statement: the object itself, or its digest. */
export type Content = {
  payload?: Record<string, unknown> | undefined
  payload_sha256?: string | undefined
}
/** For whom the service signs: the id of an agent or operator, and the credential of the call. */
export type StatementCaller = { id: string; credentialId: string | null }
type StatementDeps = { db: Tx; issuer: string; keys: Pick<KeyRings, 'agent-statement'> }

/** What every statement says; one that an agent signs by itself says the same about itself. */
const Claims = z.looseObject({ iat: z.int().min(0), sub: z.string(), payload_sha256: z.string() })
type Key = KeyLife & { version: number; publicJwk: Record<string, unknown> }

type Statement = Content & {
  caller: StatementCaller
  callId: string
  context?: string | undefined
}

/** Signs with the service's active key that this agent states this content; each signature is an audit event. */
export async function signStatement(
  { db, issuer, keys }: StatementDeps,
  { caller, callId, context, ...content }: Statement,
) {
  const payload_sha256 = contentDigest(content) ?? ''
  const audit_event_id = `aud_${digestOf({ call: callId })}`
  const audit = {
    operationId: 'signing-sign',
    credentialId: caller.credentialId,
    decision: 'allow' as const,
  }
  return transaction(db, async (tx) => {
    const [versions, standing] = await Promise.all([
      listStatementKeys(tx),
      readKeyStatus(tx, keys, [STATEMENT_RING]),
      insertAudit(tx, { auditEventId: audit_event_id, ...audit, reasons: [] }),
    ])
    const key = standing.signer(STATEMENT_RING)
    const version = versions.find(({ kid }) => kid === key.kid)?.version
    if (version === undefined) throw new Error(`the key ${key.kid} is not published yet`)
    const payload = {
      iss: issuer,
      iat: standing.nowSeconds,
      sub: caller.id,
      context: context ?? null,
      payload_sha256,
    }
    return {
      version,
      key_id: key.kid,
      jws: await signCompact(key, { typ: AGENT_STATEMENT_TYP, payload }),
      payload_sha256,
      audit_event_id,
    }
  })
}

/** Judges a statement by the version of the key that its header names: the service's for statements, or an agent's own. */
export async function verifyStatement(
  deps: Pick<StatementDeps, 'db' | 'issuer'>,
  { jws, version, ...content }: Content & { jws: string; version?: number | undefined },
) {
  const parts = read(jws)
  const keyId = typeof parts?.header['kid'] === 'string' ? parts.header['kid'] : null
  const agentId = keyId === null ? undefined : agentOfKeyId(keyId)
  const key = keyId === null ? undefined : await findKey(deps.db, keyId, agentId)
  const claims = Claims.safeParse(parts?.payload).data
  const state = key === undefined || claims === undefined ? null : keyStateAt(key, claims.iat)
  const now = await clockSeconds(deps.db)
  const wanted = contentDigest(content)
  const faults: readonly (readonly [fails: boolean, reason: string])[] = [
    [parts === undefined || claims === undefined, 'it is no agent statement'],
    [key === undefined, 'no version of a signing key has this key id'],
    [
      key !== undefined && parts !== undefined && !isSignedBy(key, parts),
      'the signature does not verify',
    ],
    [
      agentId !== undefined && claims?.sub !== agentId,
      'the key is of another agent than it speaks for',
    ],
    [
      agentId === undefined && parts?.payload['iss'] !== deps.issuer,
      'it is not issued by this service',
    ],
    [(claims?.iat ?? 0) > now + limits.proofAheadSecondsMax, 'it is from the future'],
    [state !== null && state !== 'active', `the key was ${state} then`],
    [
      version !== undefined && key !== undefined && version !== key.version,
      `its version is ${key?.version}`,
    ],
    [
      wanted !== undefined && claims !== undefined && wanted !== claims.payload_sha256,
      'it is about other content',
    ],
  ]
  const reasons = faults.filter(([fails]) => fails).map(([, reason]) => reason)
  return {
    valid: reasons.length === 0,
    version: key?.version ?? null,
    key_id: keyId,
    key_state_at_signing: state satisfies StatementKeyState | null,
    reasons,
    claims: reasons.length === 0 ? (claims ?? null) : null,
  }
}

async function findKey(
  db: Tx,
  keyId: string,
  agentId: string | undefined,
): Promise<Key | undefined> {
  if (agentId === undefined) {
    const row = (await listStatementKeys(db)).find(({ kid }) => kid === keyId)
    return (
      row && {
        ...life(row.activated_at, row.retired_at, row.revoked_at),
        version: row.version,
        publicJwk: row.public_jwk,
      }
    )
  }
  const row = await findSigningVersion(db, agentId, keyId)
  return (
    row && {
      ...life(row.not_before, row.retire_at, row.revoked_at),
      version: row.version,
      publicJwk: row.public_key,
    }
  )
}

const life = (notBefore: Date | null, retireAt: Date | null, revokedAt: Date | null): KeyLife => ({
  notBefore: unixSeconds(notBefore),
  retireAt: unixSeconds(retireAt),
  revokedAt: unixSeconds(revokedAt),
})

/** Only what has the form and the `typ` of a statement by EdDSA; everything else is none. */
function read(jws: string): CompactParts | undefined {
  try {
    const parts = decodeCompact(jws)
    const { alg, typ } = parts.header
    return alg === 'EdDSA' && typ === AGENT_STATEMENT_TYP && !('crit' in parts.header)
      ? parts
      : undefined
  } catch {
    return undefined
  }
}

const isSignedBy = ({ publicJwk }: Key, { signingInput, signature }: CompactParts): boolean =>
  verifySignature({ alg: 'EdDSA', publicJwk }, signingInput, signature)

const contentDigest = ({ payload, payload_sha256 }: Content): string | undefined =>
  payload_sha256 ?? (payload === undefined ? undefined : digestOf(payload))
