import { isoTime } from '#domain/core/time.ts'
import type { Ring } from '../../../activities/keys/key-ring.ts'
import { keyState } from '../../../activities/keys/published-key.ts'
import type { KeyRotationRow } from '../../../activities/store/keys/key-rotations.ts'
import type { SigningKeyRow } from '../../../activities/store/keys/signing-keys.ts'

/** A signing key with its standing. */
export const keyView = (row: SigningKeyRow) => ({
  ring: row.ring,
  kid: row.kid,
  alg: row.alg,
  state: keyState(row),
  published_at: row.published_at.toISOString(),
  activated_at: isoTime(row.activated_at),
  retired_at: isoTime(row.retired_at),
  revoked_at: isoTime(row.revoked_at),
})

/** The rotation of one ring. */
export const rotationView = (row: KeyRotationRow) => ({
  rotation_id: row.rotation_id,
  ring: row.ring as Ring,
  state: row.state,
  next_kid: row.next_kid,
  previous_kid: row.previous_kid,
  revoke_old: row.revoke_old,
  overlap_seconds: row.overlap_seconds,
  reason: row.reason,
  requested_at: row.requested_at.toISOString(),
  activate_at: isoTime(row.activate_at),
  retire_at: isoTime(row.retire_at),
  done_at: isoTime(row.done_at),
})
