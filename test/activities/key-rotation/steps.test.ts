import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type RingName, rotationSteps } from '#domain/keys/rotation.ts'
import { KeySet } from '#domain/receipts/key-set.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { verifySigned } from '#domain/verification/signed.ts'
import { writeSecret } from '../../../activities/config/secret-file.ts'
import { receiptSigner } from '../../../activities/container.ts'
import {
  createKeyRotationSteps,
  type KeyRotationDeps,
} from '../../../activities/key-rotation/steps.ts'
import { decodeCompact, type SigningKey, signCompact } from '../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import {
  type KeyRings,
  keyRings,
  loadKeyRings,
  type SigningKeysFile,
} from '../../../activities/keys/key-ring.ts'
import { readKeyStatus } from '../../../activities/keys/key-status.ts'
import { publishKeys } from '../../../activities/keys/publish-keys.ts'
import { keyState, publishedKey } from '../../../activities/keys/published-key.ts'
import { type KeyMaker, openKeyMaker } from '../../../activities/signer/key-maker.ts'
import { hastenRotation, insertRotation } from '../../../activities/store/keys/key-rotations.ts'
import { endKey, findKey, listPublicKeys } from '../../../activities/store/keys/signing-keys.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { appendReceipt } from '../../../activities/store/receipts/receipts.ts'
import { ReceiptService } from '../../../api/services/receipts/verification.ts'
import type { RotationSnapshot } from '../../../workflows/key-rotation/activities.ts'
import { scratchDirectory, startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

const issuer = 'https://svc.example/api/trust-contract'
let database: TestDatabase
let path: string
let keys: KeyRings
let maker: KeyMaker
beforeAll(async () => {
  database = await startDatabase()
  path = join(await scratchDirectory(), 'signing-keys.json')
  writeSecret(path, generateSigningKeys(new Date()))
  keys = loadKeyRings(path)
  maker = openKeyMaker({ SIGNER_SOCKET: '', SIGNING_KEYS_FILE: path })
  await publishKeys(database.db, keys)
})
afterAll(() => database?.stop())

let orders = 0
const order = async (ring: RingName, more: object = {}) => {
  orders += 1
  const row = await insertRotation(database.db, {
    rotation_id: `kr_${String(orders).padStart(64, '0')}`,
    ring,
    reason: 'a test',
    delay_seconds: 0,
    overlap_seconds: 0,
    revoke_old: false,
    requested_by: 'op1',
    requested_by_name: 'Ada',
    ...more,
  })
  return row?.rotation_id
}
const stepsWith = (more: Partial<KeyRotationDeps> = {}) =>
  createKeyRotationSteps({
    db: database.db,
    keys,
    maker,
    issuer,
    environment: 'local',
    signReceipt: receiptSigner(keys),
    ...more,
  })
const statesOf = async (ring: RingName) =>
  (await listPublicKeys(database.db)).filter((row) => row.ring === ring).map(keyState)
const fileStates = (ring: RingName) =>
  (JSON.parse(readFileSync(path, 'utf8')) as { rings: Record<string, { state: string }[]> }).rings[
    ring
  ]?.map(({ state }) => state)
const actsOf = async (rotationId: string) => {
  const rows = await database.db.selectFrom('receipts').select(['jws', 'kid']).execute()
  return rows
    .map(({ jws, kid }) => ({ kid, payload: decodeCompact(jws).payload }))
    .filter(({ payload }) => payload['rotation_id'] === rotationId)
    .sort((one, other) => String(one.payload['at']).localeCompare(String(other.payload['at'])))
}
const signNow = (subject: string) =>
  transaction(database.db, (tx) => {
    const facts = { subject, kind: 'payout_created', usage: 'synthetic', environment: 'local' }
    const about = { ...facts, issuer, facts: {} }
    return appendReceipt(tx, receiptSigner(keys), about, Math.floor(Date.now() / 1000))
  })

const end = (how: 'retire' | 'revoke', ring: RingName, kid: string | null | undefined) =>
  transaction(database.db, (tx) => endKey(tx, how, { ring, kid: String(kid) }))
const signerOf = (ring: RingName) =>
  transaction(database.db, async (tx) => (await readKeyStatus(tx, keys, [ring])).signer(ring).kid)

/** A process that dies at an act of the signer: before it, or after it and before the row is written. */
const dyingMaker = (act: keyof KeyMaker, side: 'before' | 'after'): KeyMaker => ({
  ...maker,
  [act]: async (asked: never) => {
    if (side === 'after') await maker[act](asked)
    throw new Error('killed')
  },
})
const acts = { requested: 'next', published: 'activate', active: 'retire' } as const

verifies(
  ['keys.rotation-killed', 'keys.rotation'],
  'each step that dies before or after the signer acts is repeated once',
  async () => {
    for (const ring of ['receipt', 'checkout'] as const) {
      const id = String(await order(ring))
      let known: RotationSnapshot | null = await stepsWith().loadRotation(ring)
      while (known !== null && known.state !== 'done') {
        const { state } = known
        const step = rotationSteps[state]
        for (const side of ['before', 'after'] as const) {
          const dying = stepsWith({ maker: dyingMaker(acts[state], side) })
          await expect(dying[step](id)).rejects.toThrow('killed')
          expect(await stepsWith().loadRotation(ring)).toMatchObject({ state })
          await signNow(`${ring}-${state}-${side}`)
        }
        const [one, other] = await Promise.all([stepsWith()[step](id), stepsWith()[step](id)])
        expect(other?.state).toBe(one?.state)
        known = await stepsWith()[step](id)
        await signNow(`${ring}-${state}-done`)
      }
      expect(await statesOf(ring)).toEqual(['retired', 'active'])
      expect(fileStates(ring)).toEqual(['retired', 'active'])
      const receipts = await actsOf(id)
      expect(receipts.map(({ payload }) => payload['act'])).toEqual([
        'signing_key_publish',
        'signing_key_activate',
        'signing_key_retire',
      ])
      if (ring === 'receipt') {
        const [old, next] = keys.receipt.publicKeys.map(({ kid }) => kid)
        expect(receipts.map(({ kid }) => kid)).toEqual([old, next, next])
      }
    }
  },
)

/** How the service and an offline verifier judge the key of a receipt that this key signs with this date. */
async function judged(key: SigningKey, iat: number) {
  const payload = {
    iss: issuer,
    iat,
    sub: 'x',
    kind: 'payout_created',
    usage: 'synthetic',
    prev: null,
  }
  const receipt = await signCompact(key, { typ: RECEIPT_TYP, payload })
  const { checks } = await new ReceiptService(database.db, issuer).verify({ receipt })
  const set = KeySet.parse({ keys: (await listPublicKeys(database.db)).map(publishedKey) })
  const offline = verifySigned(receipt, RECEIPT_TYP, set)
  return [
    checks.find(({ check }) => check === 'key_standing')?.ok,
    offline.ok ? 'valid' : offline.reason,
  ]
}

verifies(
  ['keys.activated', 'keys.retired'],
  'a key counts from its activation to its retirement, in every verifier',
  async () => {
    const file = JSON.parse(readFileSync(path, 'utf8')) as SigningKeysFile
    // A thief has both halves, and dates as it likes.
    const all = file.rings.receipt.map((entry) => ({ ...entry, state: 'retiring' as const }))
    const [first, ...others] = all
    const stolen = keyRings({
      rings: {
        ...file.rings,
        receipt: [{ ...first, state: 'active' } as typeof first & object, ...others],
      },
    }).receipt
    const rows = (await listPublicKeys(database.db)).filter(({ ring }) => ring === 'receipt')
    const [old, next] = rows as [(typeof rows)[number], (typeof rows)[number]]
    const keyOf = (kid: string) => stolen.keys.find((key) => key.kid === kid) as SigningKey
    const activated = Math.floor(Number(next.activated_at) / 1000)
    expect(await judged(keyOf(next.kid), activated)).toEqual([true, 'valid'])
    expect(await judged(keyOf(next.kid), activated - 1)).toEqual([false, 'key_not_active'])
    const retired = Math.floor(Number(old.retired_at) / 1000)
    expect(await judged(keyOf(old.kid), retired)).toEqual([true, 'valid'])
    expect(await judged(keyOf(old.kid), retired + 1)).toEqual([false, 'key_retired'])
  },
)

verifies('keys.rotation', 'a step that is not due waits by the clock of the database', async () => {
  const id = String(await order('callback', { delay_seconds: 600, overlap_seconds: 60 }))
  const steps = stepsWith()
  const published = await steps.publishNextKey(id)
  expect(published).toMatchObject({ state: 'published' })
  expect(published.waitMs).toBeGreaterThan(595_000)
  expect(await steps.activateNextKey(id)).toMatchObject({ state: 'published' })
  expect(await statesOf('callback')).toEqual(['active', 'published'])
  expect(await order('callback')).toBeUndefined()
  // An operator drops the next key, which ends the rotation.
  await end('revoke', 'callback', published.nextKid)
  await expect(
    database.db
      .updateTable('key_rotations')
      .set({ state: 'active', retire_at: new Date() })
      .where('rotation_id', '=', id)
      .execute(),
  ).rejects.toMatchObject({ code: '23514' })
  expect(await steps.activateNextKey(id)).toMatchObject({ state: 'done' })
  expect(await statesOf('callback')).toEqual(['active', 'revoked'])
  expect(fileStates('callback')).toEqual(['active', 'retired'])
})

verifies('keys.rotation', 'revoke_old waits for nothing and revokes the previous key', async () => {
  const id = String(
    await order('authority', { delay_seconds: 600, overlap_seconds: 600, revoke_old: true }),
  )
  const steps = stepsWith()
  expect(await steps.publishNextKey(id)).toMatchObject({ state: 'published', waitMs: 0 })
  expect(await steps.activateNextKey(id)).toMatchObject({ state: 'active', waitMs: 0 })
  expect(await statesOf('authority')).toEqual(['revoked', 'active'])
  expect(await steps.retirePreviousKey(id)).toMatchObject({ state: 'done' })
  expect(fileStates('authority')).toEqual(['retired', 'active'])
})

verifies(
  'keys.rotation',
  'a ring whose keys are all revoked gets its next key at once',
  async () => {
    const [current] = (await listPublicKeys(database.db)).filter(
      (row) => row.ring === 'receipt' && keyState(row) === 'active',
    )
    await transaction(database.db, (tx) =>
      endKey(tx, 'revoke', { ring: 'receipt', kid: String(current?.kid) }),
    )
    await expect(signNow('none')).rejects.toMatchObject({ refusal: { code: 'unavailable' } })
    const id = String(await order('receipt', { delay_seconds: 600 }))
    const steps = stepsWith()
    expect(await steps.publishNextKey(id)).toMatchObject({ waitMs: 0, previousKid: null })
    await steps.activateNextKey(id)
    await steps.retirePreviousKey(id)
    expect(decodeCompact(await signNow('renewed')).header['kid']).toBe(keys.receipt.active.kid)
    expect((await actsOf(id)).map(({ payload }) => payload['act'])).toEqual([
      'signing_key_activate',
    ])
  },
)

verifies(
  'keys.rotation-dropped',
  'the previous key stays where the next one ended during the overlap',
  async () => {
    const ring = 'agent-statement'
    const id = String(await order(ring))
    const steps = stepsWith()
    const { nextKid, previousKid } = await steps.publishNextKey(id)
    await steps.activateNextKey(id)
    expect(await signerOf(ring)).toBe(nextKid)
    await end('revoke', ring, nextKid)
    expect(await signerOf(ring)).toBe(previousKid)
    expect(await steps.retirePreviousKey(id)).toMatchObject({ state: 'done' })
    expect(await statesOf(ring)).toEqual(['retiring', 'revoked'])
    expect(fileStates(ring)).toEqual(['active', 'retired'])
    expect(await signerOf(ring)).toBe(previousKid)
    // The key that signs is the previous one of the next rotation.
    const again = String(await order(ring))
    expect(await steps.publishNextKey(again)).toMatchObject({ previousKid })
    await steps.activateNextKey(again)
    expect(await steps.retirePreviousKey(again)).toMatchObject({ state: 'done' })
    expect(await statesOf(ring)).toEqual(['retired', 'revoked', 'active'])
    expect(fileStates(ring)).toEqual(['retired', 'retired', 'active'])
  },
)

verifies(
  'keys.rotation-dropped',
  'a next key revoked after a crash gives its place in the file back',
  async () => {
    const ring = 'log'
    const id = String(await order(ring))
    const { nextKid, previousKid } = await stepsWith().publishNextKey(id)
    const dying = stepsWith({ maker: dyingMaker('activate', 'after') })
    await expect(dying.activateNextKey(id)).rejects.toThrow('killed')
    expect(fileStates(ring)).toEqual(['retiring', 'active'])
    await end('revoke', ring, nextKid)
    for (const side of ['before', 'after'] as const) {
      const dropping = stepsWith({ maker: dyingMaker('drop', side) })
      await expect(dropping.activateNextKey(id)).rejects.toThrow('killed')
    }
    expect(await stepsWith().activateNextKey(id)).toMatchObject({ state: 'done' })
    expect(await statesOf(ring)).toEqual(['active', 'revoked'])
    expect(fileStates(ring)).toEqual(['active', 'retired'])
    expect(await signerOf(ring)).toBe(previousKid)
  },
)

verifies(
  'keys.rotation-dropped',
  'a revocation waits while the signer activates the next key',
  async () => {
    const ring = 'log'
    const id = String(await order(ring))
    const { nextKid, previousKid } = await stepsWith().publishNextKey(id)
    let revocation: Promise<unknown> = Promise.resolve()
    const steps = stepsWith({
      maker: {
        ...maker,
        activate: async (kid) => {
          revocation = end('revoke', ring, kid)
          await new Promise((resolve) => setTimeout(resolve, 100))
          expect(await findKey(database.db, kid)).toMatchObject({ revoked_at: null })
          await maker.activate(kid)
        },
      },
    })
    expect(await steps.activateNextKey(id)).toMatchObject({ state: 'active' })
    await revocation
    expect(await findKey(database.db, String(nextKid))).toMatchObject({
      activated_at: expect.any(Date),
      revoked_at: expect.any(Date),
    })
    expect(await stepsWith().retirePreviousKey(id)).toMatchObject({ state: 'done' })
    expect(await signerOf(ring)).toBe(previousKid)
  },
)

verifies(
  'keys.rotation',
  'a file from before the activation is brought up to date first',
  async () => {
    const ring = 'authority'
    const id = String(await order(ring))
    const steps = stepsWith()
    const { nextKid } = await steps.publishNextKey(id)
    const before = readFileSync(path)
    await steps.activateNextKey(id)
    writeFileSync(path, before)
    expect(await steps.retirePreviousKey(id)).toMatchObject({ state: 'done' })
    expect(fileStates(ring)?.slice(-2)).toEqual(['retired', 'active'])
    expect(await signerOf(ring)).toBe(nextKid)
  },
)

verifies(
  'keys.rotation-hastened',
  'a rotation waits no longer once one of its keys has ended',
  async () => {
    const ring = 'checkout'
    const id = String(await order(ring, { delay_seconds: 600, overlap_seconds: 600 }))
    const steps = stepsWith()
    const { nextKid, previousKid, waitMs } = await steps.publishNextKey(id)
    expect(waitMs).toBeGreaterThan(595_000)
    await end('revoke', ring, previousKid)
    expect(await steps.loadRotation(ring)).toMatchObject({ waitMs: 0 })
    // The key before it has ended too, so that its retirement is due at once.
    expect(await steps.activateNextKey(id)).toMatchObject({ state: 'active', waitMs: 0 })
    expect(await signerOf(ring)).toBe(nextKid)
    expect(await steps.retirePreviousKey(id)).toMatchObject({ state: 'done' })
    expect(fileStates(ring)?.slice(-2)).toEqual(['retired', 'active'])
  },
)

verifies(
  'keys.rotation-hastened',
  'an open rotation is hastened once in each state, and then revokes',
  async () => {
    const ring = 'checkout'
    const slow = { delay_seconds: 600, overlap_seconds: 600 }
    const steps = stepsWith()
    const hasten = () => hastenRotation(database.db, ring)
    expect(await hasten()).toBeUndefined()
    for (const state of ['requested', 'published', 'active'] as const) {
      const id = String(
        await order(ring, state === 'active' ? { ...slow, delay_seconds: 0 } : slow),
      )
      if (state !== 'requested') await steps.publishNextKey(id)
      if (state === 'active') await steps.activateNextKey(id)
      expect(await steps.loadRotation(ring)).toMatchObject({ state })
      expect(await hasten()).toMatchObject({ rotation_id: id, state, revoke_old: true })
      expect(await hasten()).toBeUndefined()
      let known = await steps.loadRotation(ring)
      while (known !== null && known.state !== 'done') {
        expect(known.waitMs).toBe(0)
        known = await steps[rotationSteps[known.state]](id)
      }
      expect((await statesOf(ring)).slice(-2)).toEqual(['revoked', 'active'])
      expect(fileStates(ring)?.slice(-2)).toEqual(['retired', 'active'])
      const last = (await actsOf(id)).at(-1)
      expect(last?.payload['act']).toBe('signing_key_revoke')
    }
  },
)

verifies(
  'keys.rotation-hastened',
  'SQL lets an open rotation be hastened, and changes nothing else of it',
  async () => {
    const ring = 'checkout'
    const id = String(await order(ring, { delay_seconds: 600, overlap_seconds: 600 }))
    const { nextKid } = await stepsWith().publishNextKey(id)
    const later = new Date(Date.now() + 3_600_000)
    const change = (set: object) =>
      database.db.updateTable('key_rotations').set(set).where('rotation_id', '=', id).execute()
    for (const set of [
      { activate_at: new Date() },
      { revoke_old: true, activate_at: later },
      { revoke_old: true, overlap_seconds: 1 },
      { revoke_old: true, reason: 'another' },
      { revoke_old: true, previous_kid: null },
    ])
      await expect(change(set), JSON.stringify(set)).rejects.toMatchObject({ code: '23514' })
    // Its next key has ended, so that it can replace nothing.
    await end('revoke', ring, nextKid)
    expect(await hastenRotation(database.db, ring)).toBeUndefined()
    expect(await stepsWith().activateNextKey(id)).toMatchObject({ state: 'done' })
    await expect(change({ revoke_old: true })).rejects.toMatchObject({ code: '23514' })
  },
)
