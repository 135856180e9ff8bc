import { refuse } from '#domain/core/errors.ts'
import type { KeyTimes } from '#domain/receipts/key-standing.ts'
import { readStanding, type StandingRow } from '../store/keys/signing-keys.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { SigningKey } from './compact.ts'
import type { KeyRing, KeyRings, Ring, RingPublicKey } from './key-ring.ts'
import type { TrustAnchor } from './trust-anchors.ts'

/** A public key of ours with its ends, as a verifier needs it. */
export type StandingKey = RingPublicKey & KeyTimes
/** A trusted issuer's key with its ends; those of others have none that we know. */
export type StandingAnchor = TrustAnchor & KeyTimes

/** How rings stand in a transaction: Postgres' clock in whole Unix seconds, what signs, and what verifies. */
export type Standing = {
  readonly nowSeconds: number
  /** The first key of the ring that stands active; throws 503 when none does. */
  signer(ring: Ring): SigningKey
  /** The ring's keys that are published, with their ends. */
  verifiers(ring: Ring): StandingKey[]
}

/** Reads how these rings stand; nothing retires or revokes a key of them before the transaction ends. */
export async function standingOf<R extends Ring>(
  tx: Tx,
  keys: Pick<KeyRings, R>,
  rings: readonly R[],
): Promise<Standing> {
  return standingIn(keys, await readCurrent(tx, keys, rings))
}

/** Reads how these rings stand, and takes over from the key file what another process published since. */
export async function readCurrent<R extends Ring>(
  tx: Tx,
  keys: Pick<KeyRings, R>,
  rings: readonly R[],
): Promise<StandingRow[]> {
  const rows = await readStanding(tx, rings)
  for (const ring of rings) if (lacksKey(keys[ring], rows)) keys[ring].reread?.()
  return rows
}

const lacksKey = ({ ring, publicKeys }: KeyRing, rows: readonly StandingRow[]): boolean =>
  rows.some(
    (row) =>
      row.ring === ring &&
      row.revokedAt === null &&
      publicKeys.every(({ publicJwk }) => publicJwk['x'] !== row.x),
  )

/** How rings stand by what is stored of their keys. */
export function standingIn(keys: Partial<KeyRings>, rows: readonly StandingRow[]): Standing {
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

/** The trusted issuers with their keys' ends; our own authority has the keys of its ring. */
export function anchorsNow(
  anchors: readonly TrustAnchor[],
  issuer: string,
  standing: Standing,
): StandingAnchor[] {
  const others = anchors.filter(({ iss }) => iss !== issuer)
  return [
    ...standing.verifiers('authority').map((key) => ({ ...key, iss: issuer })),
    ...others.map((anchor) => ({ ...anchor, retiredAt: null, revokedAt: null })),
  ]
}

/** The key of a ring that signs now, other than `not` where there is another; throws 503 when none stands active. */
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
    detail: `no key of the ring ${ring} stands active in this process`,
    next_action: 'Repeat the call once the service has a new key.',
  })
}

/** A key that is not stored with this public half is not one of ours yet. */
function timesOf(
  rows: readonly StandingRow[],
  { ring, kid, publicJwk }: RingPublicKey,
): StandingRow | undefined {
  return rows.find((row) => row.ring === ring && row.kid === kid && row.x === publicJwk['x'])
}
