import type { KeyTimes } from '#domain/receipts/key-standing.ts'
import type { KeyRings } from '../../activities/keys/key-ring.ts'
import { type KeyStatus, keyStatusOf } from '../../activities/keys/key-status.ts'

/** Keys that have not ended. */
export const active: KeyTimes = { retiredAt: null, revokedAt: null }

/** Rings whose keys are all published and active at this time, except those with an end. */
export function keyStatus(
  keys: KeyRings,
  nowSeconds: number,
  ends: Readonly<Record<string, KeyTimes>> = {},
): KeyStatus {
  const rows = Object.values(keys).flatMap(({ publicKeys }) =>
    publicKeys.map(({ ring, kid, publicJwk }) => {
      const { retiredAt, revokedAt, activatedAt = 0 } = ends[kid] ?? active
      const times = { activatedAt, supersededAt: null, retiredAt, revokedAt }
      return { ring, kid, x: String(publicJwk['x']), ...times, readAt: nowSeconds }
    }),
  )
  return keyStatusOf(keys, rows)
}
