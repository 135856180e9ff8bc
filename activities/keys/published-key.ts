import { isoTime, unixSeconds } from '#domain/core/time.ts'
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
    published_at: row.published_at.toISOString(),
    activated_at: isoTime(row.activated_at),
    retired_at: isoTime(row.retired_at),
    revoked_at: isoTime(row.revoked_at),
  }
}

/** When a stored key became active and when it ended, in Unix seconds. */
export const keyTimes = ({
  activated_at,
  retired_at,
  revoked_at,
}: Pick<SigningKeyRow, 'activated_at' | 'retired_at' | 'revoked_at'>) =>
  ({
    activatedAt: unixSeconds(activated_at),
    retiredAt: unixSeconds(retired_at),
    revokedAt: unixSeconds(revoked_at),
  }) satisfies KeyTimes

/** How a stored key stands now; `retiring` from when the next key of its ring signs until it is retired. */
export function keyState(row: SigningKeyRow): KeyStanding | 'retiring' {
  const standing = standingNow(keyTimes(row))
  return standing === 'active' && row.superseded_at !== null ? 'retiring' : standing
}
