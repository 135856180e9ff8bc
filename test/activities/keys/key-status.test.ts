import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { logOrigin } from '#domain/log/origin.ts'
import type { KeyTimes } from '#domain/receipts/key-standing.ts'
import { receiptSigner } from '../../../activities/container.ts'
import { verifyChallengeToken } from '../../../activities/keys/challenge.ts'
import { readCheckout } from '../../../activities/keys/checkout.ts'
import { decodeCompact } from '../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { type KeyRings, keyRings } from '../../../activities/keys/key-ring.ts'
import { currentAnchors } from '../../../activities/keys/key-status.ts'
import { KeyRefused, publishKeys } from '../../../activities/keys/publish-keys.ts'
import { verifyMandate } from '../../../activities/keys/sd-jwt.ts'
import { sequence } from '../../../activities/log/sequencer.ts'
import { endKey, registerPublicKey } from '../../../activities/store/keys/signing-keys.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { appendReceipt } from '../../../activities/store/receipts/receipts.ts'
import { ReceiptService } from '../../../api/services/receipts/verification.ts'
import { keyStatus } from '../../support/key-status.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { rotateSigningKeys } from '../../support/rotated-keys.ts'
import { verifies } from '../../verifies.ts'
import {
  anchors,
  challengeContext,
  keys,
  newChallenge,
  newMandate,
  nowSeconds,
  origin,
  refusal,
} from './treasury.ts'

const issuer = 'https://svc.example/api/trust-contract'
const day = new Date('2026-11-21T10:00:00Z')
let database: TestDatabase

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database?.stop())

const endOf = (ring: KeyRings['receipt'], end: 'retire' | 'revoke') =>
  transaction(database.db, (tx) => endKey(tx, end, { ring: ring.ring, kid: ring.active.kid }))
const sign = (rings: KeyRings, subject: string) =>
  transaction(database.db, (tx) => {
    const about = {
      subject,
      kind: 'payout_created',
      usage: 'synthetic',
      environment: 'local',
      issuer,
      facts: {},
    }
    return appendReceipt(tx, receiptSigner(rings), about, Math.floor(Date.now() / 1000))
  })
const kidOf = (jws: string) => decodeCompact(jws).header['kid']

verifies(
  'keys.signing-standing',
  '32 callers sign with valid keys while one retires; all receipts verify',
  async () => {
    const rings = keyRings(rotateSigningKeys(generateSigningKeys(day), day))
    await publishKeys(database.db, rings)
    const [chosen, next] = rings.receipt.keys.map(({ kid }) => kid)
    const signed: string[] = []
    let done = false
    const callers = Array.from({ length: 32 }, async (_, caller) => {
      for (let turn = 0; !done || turn < 4; turn += 1)
        signed.push(await sign(rings, `caller-${caller}-${turn}`))
    })
    while (signed.length < 64) await new Promise((resolve) => setTimeout(resolve, 20))
    await endOf(rings.receipt, 'retire')
    done = true
    await Promise.all(callers)
    expect(new Set(signed.map(kidOf))).toEqual(new Set([chosen, next]))
    await sequence({ db: database.db, keys: rings, origin: logOrigin(issuer) })
    const verification = new ReceiptService(database.db, issuer)
    const verdicts = await Promise.all(signed.map((receipt) => verification.verify({ receipt })))
    expect(verdicts.filter(({ verified }) => verified !== true)).toEqual([])
    await transaction(database.db, (tx) =>
      endKey(tx, 'retire', { ring: 'receipt', kid: next as string }),
    )
    await expect(sign(rings, 'unknown')).rejects.toMatchObject(refusal('unavailable'))
  },
)

verifies(
  'keys.signing-standing',
  'a key ends only after what it is signing is stored',
  async () => {
    const rings = keyRings(generateSigningKeys(day))
    await publishKeys(database.db, rings)
    let end: Promise<{ retired_at: Date | null } | undefined> | undefined
    let ended = false
    await transaction(database.db, async (tx) => {
      await receiptSigner(rings)(tx)
      end = endOf(rings.receipt, 'retire').then((row) => {
        ended = true
        return row
      })
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(ended).toBe(false)
    })
    expect(await end).toMatchObject({ retired_at: expect.any(Date) })
  },
)

verifies(
  'keys.start',
  'a mismatched key stops the start, and a revoked one signs nothing',
  async () => {
    const file = generateSigningKeys(day)
    const rings = keyRings(file)
    await publishKeys(database.db, rings)
    await publishKeys(database.db, rings)
    const other = structuredClone(file)
    other.rings.receipt[0]!.private_jwk = generateSigningKeys(day).rings.receipt[0]!.private_jwk
    await expect(publishKeys(database.db, keyRings(other))).rejects.toThrow(
      'is the name of another key',
    )
    const renamed = structuredClone(file)
    renamed.rings.callback[0]!.kid = 'callback-renamed'
    await expect(publishKeys(database.db, keyRings(renamed))).rejects.toThrow(KeyRefused)
    await expect(sign(keyRings(other), 'mixed')).rejects.toMatchObject(refusal('unavailable'))
    await endOf(rings.receipt, 'revoke')
    // It starts, because a worker that runs is what makes the next key.
    await publishKeys(database.db, rings)
    await expect(sign(rings, 'revoked')).rejects.toMatchObject(refusal('unavailable'))
    const rotated = keyRings(rotateSigningKeys(file, day))
    await publishKeys(database.db, rotated)
    expect(kidOf(await sign(rotated, 'renewed'))).toBe(rotated.receipt.active.kid)
  },
)

verifies(
  'keys.start',
  'of processes that start at once with one key file none is refused',
  async () => {
    const { kid: _, ...key } = keyRings(generateSigningKeys(day)).receipt.publicKeys[0]!
    // Connections that are open already register at the same moment, which a collision needs.
    await Promise.all(
      Array.from({ length: 8 }, () => sql`select pg_sleep(0.2)`.execute(database.db)),
    )
    for (let start = 0; start < 200; start += 1) {
      const entry = {
        ...key,
        kid: `start-${start}`,
        publicJwk: { ...key.publicJwk, x: `start-${start}` },
      }
      const rows = await Promise.all(
        Array.from({ length: 8 }, () => registerPublicKey(database.db, entry)),
      )
      for (const row of rows) expect(row).toMatchObject({ kid: entry.kid })
    }
  },
)

verifies('keys.kept', 'a stored key never changes, is never removed, and ends once', async () => {
  const rings = keyRings(generateSigningKeys(day))
  await publishKeys(database.db, rings)
  const { kid } = rings.receipt.active
  const row = await endOf(rings.receipt, 'retire')
  expect(await endOf(rings.receipt, 'retire')).toEqual(row)
  const change = (set: object) =>
    database.db.updateTable('signing_keys').set(set).where('kid', '=', kid).execute()
  for (const set of [
    { retired_at: null },
    { retired_at: new Date() },
    { alg: 'ES256' },
    { activated_at: new Date(0) },
    { published_at: new Date(0) },
    { superseded_at: new Date(0) },
  ])
    await expect(change(set)).rejects.toMatchObject({ code: '23514' })
  await expect(database.db.deleteFrom('signing_keys').execute()).rejects.toMatchObject({
    code: '23514',
  })
})

verifies(
  ['keys.retired', 'keys.revoked'],
  'documents of a retired key count if earlier; of a revoked key never',
  async () => {
    const challenge = await newChallenge()
    const mandate = await newMandate(challenge, 2)
    const check = async (times: KeyTimes) => {
      const ends = { [keys.authority.active.kid]: times, [keys.checkout.active.kid]: times }
      const now = keyStatus(keys, nowSeconds, ends)
      const authorityKeys = now.verifiers('authority')
      const attempts = [
        async () =>
          verifyChallengeToken(challenge.challenge_token, { ...challengeContext, authorityKeys }),
        async () =>
          readCheckout(challenge.checkout_jwt, { keys: now.verifiers('checkout'), origin }),
        async () =>
          verifyMandate(mandate, { anchors: currentAnchors(anchors, origin, now), nowSeconds }),
      ]
      return Promise.all(
        attempts.map((attempt) =>
          attempt().then(
            () => true,
            () => false,
          ),
        ),
      )
    }
    expect(await check({ retiredAt: null, revokedAt: null })).toEqual([true, true, true])
    expect(await check({ retiredAt: nowSeconds, revokedAt: null })).toEqual([true, true, true])
    expect(await check({ retiredAt: nowSeconds - 0.001, revokedAt: null })).toEqual([
      false,
      false,
      false,
    ])
    expect(await check({ retiredAt: null, revokedAt: nowSeconds + 1 })).toEqual([
      false,
      false,
      false,
    ])
  },
)
