import { refuse } from '#domain/core/errors.ts'
import { isActivatedBy, type KeyTimes } from '#domain/receipts/key-standing.ts'
import { readStanding, type StandingRow } from '../store/keys/signing-keys.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { SigningKey } from './compact.ts'
import type { KeyRing, KeyRings, Ring, RingPublicKey } from './key-ring.ts'
import type { TrustAnchor } from './trust-anchors.ts'

/** A public key of ours, when it became active, and when it was retired or revoked. */
export type KeyWithTimes = RingPublicKey & KeyTimes
/** A key of a trusted issuer; we know the times of our own keys only. */
export type AnchorWithTimes = TrustAnchor & KeyTimes

/** The keys of rings in a transaction that sign and verify, and Postgres' clock in whole Unix seconds. */
export type KeyStatus = {
  readonly nowSeconds: number
  /**
   * The key of the ring that signs what is dated `issuedAt` (Unix seconds): the current one, or one before it that has not ended
   * where the current one was not active yet. Without a date the current one. Throws 503 when there is none.
   */
  signer(ring: Ring, issuedAt?: number): SigningKey
  /** The ring's keys that were ever active, with their times. */
  verifiers(ring: Ring): KeyWithTimes[]
}

/** Reads the status of the keys of these rings; none is activated, retired or revoked before the transaction ends. */
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

/** Whether the signer may have more than this process knows: a key that is stored, or the right to sign with the current one. */
const lacksKey = ({ ring, keys, publicKeys }: KeyRing, rows: readonly StandingRow[]): boolean =>
  rows.some(
    (row) =>
      row.ring === ring &&
      row.revokedAt === null &&
      (isCurrent(row) ? keys : publicKeys).every(({ publicJwk }) => publicJwk['x'] !== row.x),
  )

const mayStillSign = ({ activatedAt, retiredAt, revokedAt }: StandingRow): boolean =>
  activatedAt !== null && retiredAt === null && revokedAt === null
const isCurrent = (row: StandingRow): boolean => mayStillSign(row) && row.supersededAt === null

/** The status of the keys of these rings, from their stored rows. */
export function keyStatusOf(keys: Partial<KeyRings>, rows: readonly StandingRow[]): KeyStatus {
  const ringOf = (ring: Ring): KeyRing => {
    const found = keys[ring]
    if (found === undefined) throw new Error(`the ring ${ring} was not read`)
    return found
  }
  return {
    nowSeconds: Math.floor(rows[0]?.readAt ?? 0),
    signer: (ring, issuedAt) => activeKey(ringOf(ring), rows, { issuedAt }),
    verifiers: (ring) =>
      ringOf(ring).publicKeys.flatMap((key) => {
        const times = timesOf(rows, key)
        if (times === undefined || times.activatedAt === null) return []
        const { activatedAt, retiredAt, revokedAt } = times
        return [{ ...key, activatedAt, retiredAt, revokedAt }]
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

/** The key of a ring that signs what is dated `issuedAt`, other than `not` if possible; throws 503 when there is none. */
export function activeKey(
  ring: KeyRing,
  rows: readonly StandingRow[],
  { not, issuedAt }: { not?: string | undefined; issuedAt?: number | undefined } = {},
): SigningKey {
  const able = keysThatSign(ring, rows).filter(
    ({ row }) => issuedAt === undefined || isActivatedBy(row, issuedAt),
  )
  const found = able.find(({ key }) => key.kid !== not) ?? able[0]
  if (found !== undefined) return found.key
  throw refuse('unavailable', {
    detail: `no key of the ring ${ring.ring} is active in this process`,
    next_action: 'Repeat the call once the service has a new key.',
  })
}

/** The keys of a ring that may sign, the current one first, then the newest. */
export function keysThatSign(
  { keys, ring }: KeyRing,
  rows: readonly StandingRow[],
): { key: SigningKey; row: StandingRow }[] {
  const able = keys.flatMap((key) => {
    const row = timesOf(rows, { ...key, ring })
    return row !== undefined && mayStillSign(row) ? [{ key, row }] : []
  })
  const rank = ({ row }: { row: StandingRow }) =>
    isCurrent(row) ? Number.POSITIVE_INFINITY : (row.activatedAt ?? 0)
  return able.sort((one, other) => rank(other) - rank(one))
}

/** Undefined for a key whose public half is not stored, since it is not published. */
function timesOf(
  rows: readonly StandingRow[],
  { ring, kid, publicJwk }: Pick<RingPublicKey, 'ring' | 'kid' | 'publicJwk'>,
): StandingRow | undefined {
  return rows.find((row) => row.ring === ring && row.kid === kid && row.x === publicJwk['x'])
}
