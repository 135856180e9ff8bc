import type { KeyTimes } from '#domain/receipts/key-standing.ts'
import type { KeyRings } from '../../activities/keys/key-ring.ts'
import { type Standing, standingIn } from '../../activities/keys/standing.ts'

/** Keys that have not ended. */
export const active: KeyTimes = { retiredAt: null, revokedAt: null }

/** Rings whose keys are all published and stand active at this time, but for those that have these ends. */
export function standing(
  keys: KeyRings,
  nowSeconds: number,
  ends: Readonly<Record<string, KeyTimes>> = {},
): Standing {
  const rows = Object.values(keys).flatMap(({ publicKeys }) =>
    publicKeys.map(({ ring, kid, publicJwk }) => {
      const { retiredAt, revokedAt } = ends[kid] ?? active
      return { ring, kid, x: String(publicJwk['x']), retiredAt, revokedAt, readAt: nowSeconds }
    }),
  )
  return standingIn(keys, rows)
}
