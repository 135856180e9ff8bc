import { type KeyStanding, type KeyTimes, standingNow } from '#domain/receipts/key-standing.ts'
import type { SigningKeyRow } from '../store/keys/signing-keys.ts'

/** A key as `/.well-known/jwks.json` and replay packages have it: its JWK, what it is for, and how it stands. */
export function publishedKey(row: SigningKeyRow) {
  return {
    ...row.public_jwk,
    kty: String(row.public_jwk['kty']),
    kid: row.kid,
    alg: row.alg,
    use: 'sig',
    use_for: row.ring,
    state: keyState(row),
    activated_at: row.activated_at.toISOString(),
    retired_at: row.retired_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  }
}

/** The ends of a stored key, in Unix seconds. */
export const keyTimes = ({
  retired_at,
  revoked_at,
}: Pick<SigningKeyRow, 'retired_at' | 'revoked_at'>): KeyTimes => ({
  retiredAt: retired_at === null ? null : retired_at.getTime() / 1000,
  revokedAt: revoked_at === null ? null : revoked_at.getTime() / 1000,
})

export const keyState = (row: SigningKeyRow): KeyStanding => standingNow(keyTimes(row))
