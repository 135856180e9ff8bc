import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { ringNames } from '#domain/keys/rotation.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { signCompact } from '../../../activities/keys/compact.ts'
import type { KeyRings, Ring } from '../../../activities/keys/key-ring.ts'
import { activeKey, keysThatSign, readCurrent } from '../../../activities/keys/key-status.ts'
import { KeyRefused, publishKeys } from '../../../activities/keys/publish-keys.ts'
import { keyState } from '../../../activities/keys/published-key.ts'
import type { ReceiptView } from '../../../activities/keys/receipt-view.ts'
import type { ControlDeps } from '../../../activities/payouts/controls.ts'
import { type OperatorAct, signAct } from '../../../activities/payouts/operator-act.ts'
import { answerCall, claimGrant } from '../../../activities/store/calls/calls.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  hastenRotation,
  insertRotation,
  type KeyRotationRow,
  listRotations,
} from '../../../activities/store/keys/key-rotations.ts'
import {
  endKey,
  findKey,
  listPublicKeys,
  lockRing,
  type SigningKeyRow,
} from '../../../activities/store/keys/signing-keys.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { ReceiptSigner } from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { keyView, rotationView } from './views.ts'

export type KeyDeps = Omit<ControlDeps, 'signReceipt'> & {
  db: Kysely<Database>
  keys: KeyRings
  /** The signing keys as the signer has them now. */
  load: () => Promise<KeyRings>
  /** How long a next key is published before it signs, in seconds. */
  publishSeconds: number
  /** Wakes the workflow of a ring's rotation, or leaves that to a worker. */
  notifyRotation: (ring: Ring) => Promise<void>
}
type Operator = { operatorId: string; name: string }
type Ending = { kid: string; reason: string }
type EndOrder = Ending & { by: Operator; callId: string }
type RotationOrder = {
  ring?: Ring | undefined
  reason: string
  overlapSeconds: number
  revokeOld: boolean
}
type KeyView = ReturnType<typeof keyView>
type EndedKey = { key: KeyView; receipt: ReceiptView }

/** What operators do to the signing keys; each act is one transaction with its receipt and the use of its call. */
export class KeyService {
  private readonly deps: KeyDeps

  constructor(deps: KeyDeps) {
    this.deps = deps
  }

  /** Every key ever published, and the rotations; the receipt says what was listed, and to whom. */
  list(by: Operator) {
    const { db } = this.deps
    return transaction(db, async (tx) => {
      const listed = (await listPublicKeys(tx)).map(keyView)
      const rotations = (await listRotations(tx)).map(rotationView)
      const act = {
        act: 'signing_keys_list',
        act_on: `sha256:${digestOf(listed)}`,
        reason: 'listed',
      }
      return { keys: listed, rotations, receipt: await signed(this.deps, tx, { by, act }) }
    })
  }

  /**
   * Stores the rotation of a ring, or of each, and starts its workflow. While one is open, an order to revoke the previous key makes
   * it do so at once; any other gets 409 `rotation_in_progress`.
   */
  async rotate(by: Operator, order: RotationOrder, callId: string): Promise<void> {
    const { rotations } = await answerOnce(
      this.deps,
      { callId, subject: 'signing keys', status: 201 },
      (tx) => storeRotations(this.deps, tx, { by, order, callId }),
    )
    await Promise.all(rotations.map(({ ring }) => this.deps.notifyRotation(ring)))
  }

  /** Takes over what was added to the file of signing keys; an older key signs the receipt where one stands active. */
  async publish(by: Operator, { reason }: { reason: string }, callId: string) {
    const { db } = this.deps
    const rings = await this.deps.load()
    return transaction(db, async (tx) => {
      await claimGrant(tx, callId, 'signing keys')
      const known = new Set((await listPublicKeys(tx)).map(({ kid }) => kid))
      await publishKeys(tx, rings).catch(refused)
      const listed = (await listPublicKeys(tx)).map(keyView)
      const published = listed.filter(({ kid }) => !known.has(kid))
      const facts = { published: published.map(({ ring, kid }) => ({ ring, kid })) }
      const act = { act: 'signing_keys_publish', act_on: 'signing keys', reason }
      const receipt = await signed(this.deps, tx, {
        by,
        act: { ...act, facts },
        not: rings.receipt.active.kid,
      })
      const answer = { published, receipt }
      await answerCall(callId, 'signing keys', 200, answer).run(tx)
      return answer
    })
  }

  retire(by: Operator, ending: Ending, callId: string) {
    return this.#end('retire', { by, callId, ...ending })
  }

  revoke(by: Operator, ending: Ending, callId: string) {
    return this.#end('revoke', { by, callId, ...ending })
  }

  /** A rotation whose key has ended waits no longer. */
  async #end(how: 'retire' | 'revoke', asked: EndOrder): Promise<EndedKey> {
    const ended = await end(this.deps, how, asked)
    await this.deps.notifyRotation(ended.key.ring as Ring)
    return ended
  }
}

/** A file that no process may start with is not taken over either. */
function refused(error: unknown): never {
  if (!(error instanceof KeyRefused)) throw error
  throw refuse('wrong_state', {
    detail: error.message,
    next_action: 'Rotate the keys, and publish the file then.',
    extra: { state: 'refused' },
  })
}

/** Ends a key behind everything that its ring is signing. A key that nothing could replace is not retired; it can be revoked. */
function end(
  deps: KeyDeps,
  how: 'retire' | 'revoke',
  { by, callId, kid, reason }: EndOrder,
): Promise<EndedKey> {
  return transaction(deps.db, async (tx) => {
    await claimGrant(tx, callId, kid)
    const { ring } = await requireKey(tx, kid)
    await lockRing(tx, ring)
    const row = await requireKey(tx, kid)
    assertEnds(row, how)
    if (how === 'retire') await assertReplaced(deps, tx, row)
    const facts = { ring, key_sha256: digestOf(row.public_jwk) }
    // Signed before the key ends: where no other key stands, the receipt is our record from before.
    const receipt = await signed(deps, tx, {
      by,
      act: { act: `signing_key_${how}`, act_on: kid, reason, facts },
      not: kid,
    })
    const ended = await endKey(tx, how, row)
    if (ended === undefined) throw new Error(`the key ${kid} is not there`)
    const answer = { key: keyView(ended), receipt }
    await answerCall(callId, kid, 200, answer).run(tx)
    return answer
  })
}

async function requireKey(tx: Tx, kid: string): Promise<SigningKeyRow> {
  const row = await findKey(tx, kid)
  if (row !== undefined) return row
  throw refuse('not_found', {
    detail: 'no key of this service has this kid',
    next_action: 'List the keys and take one of theirs.',
  })
}

function assertEnds(row: SigningKeyRow, how: 'retire' | 'revoke'): void {
  const state = keyState(row)
  if (state === 'active' || state === 'retiring') return
  if (how === 'revoke' && state !== 'revoked') return
  throw refuse('wrong_state', {
    detail: `the key is ${state}`,
    next_action:
      state === 'published'
        ? 'Revoke it: only a key that was active is retired.'
        : 'There is nothing left to end.',
    extra: { state },
  })
}

async function assertReplaced(
  { keys }: KeyDeps,
  tx: Tx,
  { ring, kid }: SigningKeyRow,
): Promise<void> {
  const rows = await readCurrent(tx, keys, [ring as Ring])
  const next = activeKey(keys[ring as Ring], rows, { not: kid })
  if (next.kid !== kid) return
  throw refuse('wrong_state', {
    detail: `no other key of the ring ${ring} stands active in this process`,
    next_action: 'Rotate the keys first, or revoke this one.',
    extra: { state: 'active' },
  })
}

/** The receipt of an act on keys, signed by another key than `not` where there is one. */
function signed(
  { keys, ...deps }: KeyDeps,
  tx: Tx,
  { by, act, not }: { by: Operator; act: OperatorAct; not?: string },
): Promise<ReceiptView> {
  const signReceipt: ReceiptSigner = async (inside) => {
    const rows = await readCurrent(inside, keys, ['receipt'])
    return async (payload, proof) => {
      const key = activeKey(keys.receipt, rows, { not, issuedAt: payload.iat })
      return { jws: await signCompact(key, { typ: RECEIPT_TYP, payload, proof }), kid: key.kid }
    }
  }
  return signAct({ ...deps, signReceipt }, tx, { by, act })
}

type Ordered = { by: Operator; order: RotationOrder; callId: string }

/** While no key could sign it, the order has no receipt: it is what brings the next key. */
async function storeRotations(deps: KeyDeps, tx: Tx, { by, order, callId }: Ordered) {
  const { ring: only, reason, overlapSeconds, revokeOld } = order
  const stored: KeyRotationRow[] = []
  for (const ring of only === undefined ? ringNames : [only]) {
    const inserted = await insertRotation(tx, {
      rotation_id: `kr_${digestOf({ callId, ring })}`,
      ring,
      reason,
      delay_seconds: deps.publishSeconds,
      overlap_seconds: overlapSeconds,
      revoke_old: revokeOld,
      requested_by: by.operatorId,
      requested_by_name: by.name,
    })
    const row = inserted ?? (revokeOld ? await hastenRotation(tx, ring) : undefined)
    if (row === undefined) throw inProgress(ring)
    stored.push(row)
  }
  const rows = await readCurrent(tx, deps.keys, ['receipt'])
  const signs = keysThatSign(deps.keys.receipt, rows).length > 0
  const facts = {
    rotations: stored.map(({ rotation_id, ring }) => ({ rotation_id, ring })),
    overlap_seconds: overlapSeconds,
    revoke_old: revokeOld,
  }
  const act = { act: 'signing_keys_rotate', act_on: only ?? 'signing keys', reason, facts }
  return {
    rotations: stored.map(rotationView),
    next_action: 'Read GET /api/operator/keys until the rotations are done.',
    receipt: signs ? await signed(deps, tx, { by, act }) : null,
  }
}

const inProgress = (ring: Ring) =>
  refuse('rotation_in_progress', {
    detail: `a rotation of the ring ${ring} is under way`,
    next_action: 'Read GET /api/operator/keys, and rotate again once it is done.',
  })
