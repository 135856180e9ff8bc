import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import type { RotationState } from '#domain/keys/rotation.ts'
import type { KeyRotationSteps, RotationSnapshot } from '../../workflows/key-rotation/activities.ts'
import type { KeyRings, Ring, RingPublicKey } from '../keys/key-ring.ts'
import { keysThatSign, readCurrent } from '../keys/key-status.ts'
import type { ControlDeps } from '../payouts/controls.ts'
import { signAct } from '../payouts/operator-act.ts'
import type { KeyMaker } from '../signer/key-maker.ts'
import {
  type DueRotation,
  findOpenRotation,
  lockRotation,
  moveRotation,
} from '../store/keys/key-rotations.ts'
import {
  activateKey,
  endKey,
  findKey,
  findKeyThatSigns,
  lockKeyMaking,
  lockRing,
  registerPublicKey,
  type SigningKeyRow,
} from '../store/keys/signing-keys.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import type { Database } from '../store/schema/schema.ts'

export type KeyRotationDeps = ControlDeps & {
  readonly db: Kysely<Database>
  readonly keys: KeyRings
  readonly maker: KeyMaker
}

/**
 * The steps of rotations. The signer acts before the row is written, and may be asked again: a key may sign before the database
 * chooses it, and the database chooses another before a key may sign no more, so that there is always one that signs.
 */
export function createKeyRotationSteps(deps: KeyRotationDeps): KeyRotationSteps {
  const { db } = deps
  const step =
    (from: RotationState, act: (tx: Tx, rotation: DueRotation) => Promise<void>) =>
    (rotationId: string): Promise<RotationSnapshot> =>
      transaction(db, async (tx) => {
        const rotation = await lockRotation(tx, rotationId)
        if (rotation.state !== from || rotation.wait_ms > 0) return snapshotOf(rotation)
        await lockKeyMaking(tx)
        await act(tx, rotation)
        return snapshotOf(await lockRotation(tx, rotationId))
      })
  return {
    loadRotation: async (ring) => {
      const rotation = await findOpenRotation(db, ring)
      return rotation === undefined ? null : snapshotOf(rotation)
    },
    publishNextKey: step('requested', (tx, rotation) => publish(deps, tx, rotation)),
    activateNextKey: step('published', (tx, rotation) => activate(deps, tx, rotation)),
    retirePreviousKey: step('active', (tx, rotation) => retire(deps, tx, rotation)),
  }
}

const snapshotOf = (rotation: DueRotation): RotationSnapshot => ({
  rotationId: rotation.rotation_id,
  ring: rotation.ring,
  state: rotation.state,
  nextKid: rotation.next_kid,
  previousKid: rotation.previous_kid,
  waitMs: rotation.wait_ms,
})

/** A stolen key is replaced at once, and so is one that ended already: caches of the key set matter less then. */
async function publish(deps: KeyRotationDeps, tx: Tx, rotation: DueRotation): Promise<void> {
  const { rotation_id: rotationId, revoke_old, delay_seconds } = rotation
  const ring = rotation.ring as Ring
  const next = await deps.maker.next({ ring, rotationId })
  await register(tx, next)
  const signing = await findKeyThatSigns(tx, ring)
  const previous = signing?.kid === next.kid ? undefined : signing
  const facts = { key_sha256: digestOf(next.publicJwk), previous_kid: previous?.kid ?? null }
  await record(deps, tx, rotation, { act: 'signing_key_publish', act_on: next.kid, facts })
  await moveRotation(
    tx,
    { rotationId, to: 'published' },
    {
      next_kid: next.kid,
      previous_kid: previous?.kid ?? null,
      waitSeconds: revoke_old || previous === undefined ? 0 : delay_seconds,
    },
  )
}

async function register(tx: Tx, next: RingPublicKey): Promise<void> {
  const stored = await registerPublicKey(tx, next)
  if (stored?.public_jwk['x'] !== next.publicJwk['x'])
    throw new Error(`the key ${next.kid} of the signer is stored under another name`)
}

/** Nothing can end the next key between the act of the signer and the row: ending one takes the lock of its ring. */
async function activate(deps: KeyRotationDeps, tx: Tx, rotation: DueRotation): Promise<void> {
  const { rotation_id: rotationId, ring, previous_kid, revoke_old, overlap_seconds } = rotation
  const kid = nextKidOf(rotation)
  await lockRing(tx, ring)
  const next = await findKey(tx, kid)
  if (next === undefined || hasEnded(next)) return drop(deps, tx, rotation)
  await deps.maker.activate(kid)
  await activateKey(tx, { ring, kid })
  if (revoke_old && previous_kid !== null) await endKey(tx, 'revoke', { ring, kid: previous_kid })
  const facts = { previous_kid, previous_revoked: revoke_old && previous_kid !== null }
  await record(deps, tx, rotation, { act: 'signing_key_activate', act_on: kid, facts })
  const waitSeconds = revoke_old ? 0 : overlap_seconds
  await moveRotation(tx, { rotationId, to: 'active' }, { waitSeconds })
}

/** Behind everything that the ring is signing, so that the signer refuses nothing that is under way. */
async function retire(deps: KeyRotationDeps, tx: Tx, rotation: DueRotation): Promise<void> {
  const { rotation_id: rotationId, ring, previous_kid: kid, revoke_old } = rotation
  const nextKid = nextKidOf(rotation)
  await lockRing(tx, ring)
  const next = await findKey(tx, nextKid)
  if (next === undefined || hasEnded(next)) return drop(deps, tx, rotation)
  if (kid !== null) {
    // The file may be a copy from before the activation.
    if (next.superseded_at === null) await deps.maker.activate(nextKid)
    await deps.maker.retire(kid)
    const how = revoke_old ? 'revoke' : 'retire'
    await endKey(tx, how, { ring, kid })
    const facts = { replaced_by: nextKid }
    await record(deps, tx, rotation, { act: `signing_key_${how}`, act_on: kid, facts })
  }
  await moveRotation(tx, { rotationId, to: 'done' }, {})
}

/** Ends a rotation whose next key an operator ended; the previous key stays, since it may be the last one that signs. */
async function drop({ maker }: KeyRotationDeps, tx: Tx, rotation: DueRotation): Promise<void> {
  await maker.drop(nextKidOf(rotation))
  await moveRotation(tx, { rotationId: rotation.rotation_id, to: 'done' }, {})
}

const hasEnded = ({ retired_at, revoked_at }: SigningKeyRow): boolean =>
  retired_at !== null || revoked_at !== null

function nextKidOf({ next_kid, rotation_id }: DueRotation): string {
  if (next_kid === null) throw new Error(`the rotation ${rotation_id} has no next key`)
  return next_kid
}

type Act = { act: string; act_on: string; facts: Record<string, unknown> }

/** The receipt of a step in the name of the operator who asked; there is none while no key could sign it. */
async function record(
  { keys, ...deps }: KeyRotationDeps,
  tx: Tx,
  { rotation_id, ring, reason, ...rotation }: DueRotation,
  { facts, ...act }: Act,
): Promise<void> {
  const rows = await readCurrent(tx, keys, ['receipt'])
  if (keysThatSign(keys.receipt, rows).length === 0) return
  const by = { operatorId: rotation.requested_by, name: rotation.requested_by_name }
  const about = { ...facts, rotation_id, ring }
  await signAct(deps, tx, { by, act: { ...act, reason, facts: about } })
}
