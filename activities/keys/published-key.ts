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
    activated_at: row.activated_at?.toISOString() ?? null,
    retired_at: row.retired_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  }
}

/** When a stored key became active and when it ended, in Unix seconds. */
export const keyTimes = ({
  activated_at,
  retired_at,
  revoked_at,
}: Pick<SigningKeyRow, 'activated_at' | 'retired_at' | 'revoked_at'>) =>
  ({
    activatedAt: seconds(activated_at),
    retiredAt: seconds(retired_at),
    revokedAt: seconds(revoked_at),
  }) satisfies KeyTimes

const seconds = (time: Date | null): number | null => (time === null ? null : time.getTime() / 1000)

/** How a stored key stands now; `retiring` from when the next key of its ring signs until it is retired. */
export function keyState(row: SigningKeyRow): KeyStanding | 'retiring' {
  const standing = standingNow(keyTimes(row))
  return standing === 'active' && row.superseded_at !== null ? 'retiring' : standing
}
