import type { SigningKeyRow } from '../store/signing-keys.ts'

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

export const keyState = (row: SigningKeyRow): 'active' | 'retired' | 'revoked' =>
  row.revoked_at !== null ? 'revoked' : row.retired_at !== null ? 'retired' : 'active'
