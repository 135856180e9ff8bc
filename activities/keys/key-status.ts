import { refuse } from '#domain/core/errors.ts'
import type { KeyTimes } from '#domain/receipts/key-standing.ts'
import { readStanding, type StandingRow } from '../store/keys/signing-keys.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { SigningKey } from './compact.ts'
import type { KeyRing, KeyRings, Ring, RingPublicKey } from './key-ring.ts'
import type { TrustAnchor } from './trust-anchors.ts'

/** A public key of ours, and when it was retired or revoked. */
export type KeyWithTimes = RingPublicKey & KeyTimes
/** A key of a trusted issuer; we know the ends of our own keys only. */
export type AnchorWithTimes = TrustAnchor & KeyTimes

/** The keys of rings in a transaction that sign and verify, and Postgres' clock in whole Unix seconds. */
export type KeyStatus = {
  readonly nowSeconds: number
  /** The first active key of the ring; throws 503 when there is none. */
  signer(ring: Ring): SigningKey
  /** The ring's keys that are published, with their ends. */
  verifiers(ring: Ring): KeyWithTimes[]
}

/** Reads the status of the keys of these rings; none is retired or revoked before the transaction ends. */
export async function readKeyStatus<R extends Ring>(
  tx: Tx,
  keys: Pick<KeyRings, R>,
  rings: readonly R[],
): Promise<KeyStatus> {
  return keyStatusOf(keys, await readCurrent(tx, keys, rings))
}

/** Reads the stored keys of these rings, and rereads the key file where another process has published a key since. */
export async function readCurrent<R extends Ring>(
  tx: Tx,
  keys: Pick<KeyRings, R>,
  rings: readonly R[],
): Promise<StandingRow[]> {
  const rows = await readStanding(tx, rings)
  for (const ring of rings) if (lacksKey(keys[ring], rows)) await keys[ring].reread?.()
  return rows
}

const lacksKey = ({ ring, publicKeys }: KeyRing, rows: readonly StandingRow[]): boolean =>
  rows.some(
    (row) =>
      row.ring === ring &&
      row.revokedAt === null &&
      publicKeys.every(({ publicJwk }) => publicJwk['x'] !== row.x),
  )

/** The status of the keys of these rings, from their stored rows. */
export function keyStatusOf(keys: Partial<KeyRings>, rows: readonly StandingRow[]): KeyStatus {
  const ringOf = (ring: Ring): KeyRing => {
    const found = keys[ring]
    if (found === undefined) throw new Error(`the ring ${ring} was not read`)
    return found
  }
  return {
    nowSeconds: Math.floor(rows[0]?.readAt ?? 0),
    signer: (ring) => activeKey(ringOf(ring), rows),
    verifiers: (ring) =>
      ringOf(ring).publicKeys.flatMap((key) => {
        const times = timesOf(rows, key)
        return times === undefined
          ? []
          : [{ ...key, retiredAt: times.retiredAt, revokedAt: times.revokedAt }]
      }),
  }
}

/** The keys of trusted issuers with their ends; those of our own authority are in its ring. */
export function currentAnchors(
  anchors: readonly TrustAnchor[],
  issuer: string,
  keyStatus: KeyStatus,
): AnchorWithTimes[] {
  const others = anchors.filter(({ iss }) => iss !== issuer)
  return [
    ...keyStatus.verifiers('authority').map((key) => ({ ...key, iss: issuer })),
    ...others.map((anchor) => ({ ...anchor, retiredAt: null, revokedAt: null })),
  ]
}

/** The key of a ring that signs now, other than `not` if possible; throws 503 when none is active. */
export function activeKey(
  { keys, ring }: KeyRing,
  rows: readonly StandingRow[],
  not?: string,
): SigningKey {
  const active = keys.filter((key) => {
    const times = timesOf(rows, { ...key, ring })
    return times !== undefined && times.retiredAt === null && times.revokedAt === null
  })
  const key = active.find(({ kid }) => kid !== not) ?? active[0]
  if (key !== undefined) return key
  throw refuse('unavailable', {
    detail: `no key of the ring ${ring} is active in this process`,
    next_action: 'Repeat the call once the service has a new key.',
  })
}

/** Undefined for a key whose public half is not stored, since it is not published. */
function timesOf(
  rows: readonly StandingRow[],
  { ring, kid, publicJwk }: RingPublicKey,
): StandingRow | undefined {
  return rows.find((row) => row.ring === ring && row.kid === kid && row.x === publicJwk['x'])
}
