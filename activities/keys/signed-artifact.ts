import type { z } from 'zod'
import {
  isActivatedBy,
  isGood,
  type KeyStanding,
  type KeyTimes,
  standingKnownAt,
  standingNow,
} from '#domain/receipts/key-standing.ts'
import type { SigningKeyRow } from '../store/keys/signing-keys.ts'
import { decodeCompact, verifyCompact } from './compact.ts'
import { keyTimes } from './published-key.ts'

export type ArtifactCheck = { check: string; ok: boolean; detail: string }
/** Why an artifact is not one of ours, as codes. */
type ArtifactReason =
  | 'malformed'
  | 'wrong_type'
  | 'unknown_key'
  | 'signature_invalid'
  | 'issuer_mismatch'
  | 'claims_invalid'
  | 'key_not_active'
  | 'key_retired'
  | 'key_revoked'

type ArtifactKey = {
  kid: string
  standing_at_issue: KeyStanding
  standing_now: KeyStanding
}
/** What a verification comes to; `claims` are only those of a signature of ours. */
export type Judged<Claims> = {
  reasons: ArtifactReason[]
  checks: ArtifactCheck[]
  claims: Claims | null
  key: ArtifactKey | null
}

export type Expected<Claims> = {
  typ: string
  issuer: string
  claims: z.ZodType<Claims>
  keys: readonly SigningKeyRow[]
  /** When our own record of it was made, in Unix seconds; null where there is none. */
  storedAt: number | null
}

type Step = [check: string, fault: ArtifactReason | undefined, holds: string]

/** Verifies an artifact that the receipt ring signed under this `typ`; never throws for what it is given. */
export function judgeArtifact<Claims extends { iat: number; iss: string }>(
  jws: string,
  expected: Expected<Claims>,
): Judged<Claims> {
  const header = headerOf(jws)
  if (header === undefined) return refused('malformed', 'it is not a compact JWS of JSON objects')
  const { typ, keys, issuer } = expected
  if (header['typ'] !== typ) return refused('wrong_type', `it is not a ${typ}`)
  const key = keys.find(({ ring, kid }) => ring === 'receipt' && kid === header['kid'])
  if (key === undefined) return refused('unknown_key', 'no receipt key of this service has its kid')
  const payload = verifiedPayload(jws, typ, key)
  if (payload === undefined)
    return refused('signature_invalid', 'its signature does not verify with the named key')
  const parsed = expected.claims.safeParse(payload)
  if (!parsed.success) return refused('claims_invalid', `the claims are not those of a ${typ}`)
  const claims = parsed.data
  const times = keyTimes(key)
  const steps: Step[] = [
    ['signature', undefined, `EdDSA of ${key.kid}`],
    ['issuer', claims.iss === issuer ? undefined : 'issuer_mismatch', claims.iss],
    ['key_standing', standingFault(times, claims.iat, expected.storedAt), 'the key was good'],
  ]
  return {
    reasons: steps.flatMap(([, fault]) => fault ?? []),
    checks: steps.map(([check, fault, holds]) => ({
      check,
      ok: fault === undefined,
      detail: fault ?? holds,
    })),
    claims,
    key: {
      kid: key.kid,
      standing_at_issue: standingKnownAt(times, claims.iat),
      standing_now: standingNow(times),
    },
  }
}

const refused = (reason: ArtifactReason, detail: string) => ({
  reasons: [reason],
  checks: [{ check: 'signature', ok: false, detail }],
  claims: null,
  key: null,
})

function standingFault(
  times: KeyTimes,
  issuedAt: number,
  storedAt: number | null,
): ArtifactReason | undefined {
  if (isGood(times, { issuedAt, storedAt })) return undefined
  if (!isActivatedBy(times, issuedAt)) return 'key_not_active'
  return times.revokedAt === null ? 'key_retired' : 'key_revoked'
}

function headerOf(jws: string): Record<string, unknown> | undefined {
  try {
    return decodeCompact(jws).header
  } catch {
    return undefined
  }
}

function verifiedPayload(
  jws: string,
  typ: string,
  key: SigningKeyRow,
): Record<string, unknown> | undefined {
  try {
    return verifyCompact(jws, { typ, alg: 'EdDSA', publicJwk: key.public_jwk })
  } catch {
    return undefined
  }
}
