/**
 * When a key of the service became active and when it ended, in Unix seconds with a fraction; null where it has not. `activatedAt`
 * is left out where it is not known, as for keys of other issuers.
 */
export type KeyTimes = {
  readonly activatedAt?: number | null
  readonly retiredAt: number | null
  readonly revokedAt: number | null
}

export type KeyStanding = 'published' | 'active' | 'retired' | 'revoked'

/** How a key stands once it has these times; `published` before it is active. */
export const standingNow = ({ activatedAt, retiredAt, revokedAt }: KeyTimes): KeyStanding => {
  if (revokedAt !== null) return 'revoked'
  if (activatedAt === null) return 'published'
  return retiredAt === null ? 'active' : 'retired'
}

/**
 * Whether what a key signed is good: it is dated while the key was active, and where the key is revoked our own record of it is
 * from before the revocation (`storedAt`, Unix seconds; null where there is none).
 */
export const isGood = (
  times: KeyTimes,
  { issuedAt, storedAt }: { issuedAt: number; storedAt: number | null },
): boolean =>
  standingAt({ ...times, revokedAt: null }, issuedAt) === 'active' &&
  (times.revokedAt === null || (storedAt !== null && storedAt <= times.revokedAt))

/**
 * How a key stood for an artifact that dates itself `issuedAt` (Unix seconds). Only `active` is good: published means dated before
 * the key was active, retired means dated after the retirement, and a revoked key proves nothing of any time, because a thief may
 * date what it signs back.
 */
export const standingAt = (times: KeyTimes, issuedAt: number): KeyStanding => {
  const { retiredAt, revokedAt } = times
  if (revokedAt !== null) return 'revoked'
  if (!isActivatedBy(times, issuedAt)) return 'published'
  return retiredAt !== null && issuedAt > retiredAt ? 'retired' : 'active'
}

/** How a key stood at a time, as it is known today: ends that came later do not count. */
export const standingKnownAt = (times: KeyTimes, at: number): KeyStanding =>
  times.revokedAt !== null && times.revokedAt <= at
    ? 'revoked'
    : standingAt({ ...times, revokedAt: null }, at)

/** Whether a key was active by this time in whole Unix seconds, which artifacts have. */
export const isActivatedBy = (
  { activatedAt }: Pick<KeyTimes, 'activatedAt'>,
  at: number,
): boolean => activatedAt === undefined || (activatedAt !== null && Math.floor(activatedAt) <= at)
