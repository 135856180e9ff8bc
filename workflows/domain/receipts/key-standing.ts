/** When a key of the service ended, in Unix seconds with a fraction; null where it has not. */
export type KeyTimes = { readonly retiredAt: number | null; readonly revokedAt: number | null }

export type KeyStanding = 'active' | 'retired' | 'revoked'

/** How a key stands once it has these ends. */
export const standingNow = ({ retiredAt, revokedAt }: KeyTimes): KeyStanding => {
  if (revokedAt !== null) return 'revoked'
  return retiredAt === null ? 'active' : 'retired'
}

/**
 * Whether what a key signed is good: it is dated before the retirement, and where the key is revoked our own record of it is
 * from before the revocation (`storedAt`, Unix seconds; null where there is none).
 */
export const isGood = (
  times: KeyTimes,
  { issuedAt, storedAt }: { issuedAt: number; storedAt: number | null },
): boolean =>
  standingAt({ ...times, revokedAt: null }, issuedAt) === 'active' &&
  (times.revokedAt === null || (storedAt !== null && storedAt <= times.revokedAt))

/**
 * How a key stood for an artifact that dates itself `issuedAt` (Unix seconds). Only `active` is good: retired means dated after
 * the retirement, and a revoked key proves nothing of any time, because a thief may date what it signs back.
 */
export const standingAt = ({ retiredAt, revokedAt }: KeyTimes, issuedAt: number): KeyStanding => {
  if (revokedAt !== null) return 'revoked'
  return retiredAt !== null && issuedAt > retiredAt ? 'retired' : 'active'
}
