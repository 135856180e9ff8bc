import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { receiptId } from '#domain/core/ids.ts'
import { logOrigin } from '#domain/log/origin.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { receiptSigner } from '../../../../activities/container.ts'
import { signCompact } from '../../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../../activities/keys/generate.ts'
import { keyRings } from '../../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../../activities/keys/publish-keys.ts'
import { sequence } from '../../../../activities/log/sequencer.ts'
import { endKey } from '../../../../activities/store/keys/signing-keys.ts'
import { appendReceipt } from '../../../../activities/store/receipts/receipts.ts'
import { ReceiptService } from '../../../../api/services/receipts/verification.ts'
import { startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

const issuer = 'https://svc.example/api/trust-contract'
let database: TestDatabase
const nowSeconds = () => Math.floor(Date.now() / 1000)

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

/** A fresh receipt key with a stored receipt of now; `forged` signs one that was never stored. */
async function fresh(name: string) {
  const keys = keyRings(generateSigningKeys(new Date()))
  await publishKeys(database.db, keys)
  const claims = { kind: 'payout_created', usage: 'synthetic', environment: 'local' }
  const stored = await appendReceipt(
    database.db,
    receiptSigner(keys),
    { ...claims, subject: name, issuer, facts: {} },
    nowSeconds(),
  )
  await sequence({ db: database.db, keys, origin: logOrigin(issuer) })
  const { active } = keys.receipt
  const signed = (iat: number, more: object) =>
    signCompact(active, {
      typ: RECEIPT_TYP,
      payload: { iss: issuer, iat, sub: name, ...claims, prev: null, ...more },
    })
  const forged = (iat: number) => signed(iat, { note: 'forged' })
  return {
    stored,
    forged,
    sample: await signed(nowSeconds(), { kind: 'sample' }),
    key: { ring: 'receipt', kid: active.kid },
  }
}

const verdict = (receipt: string) => new ReceiptService(database.db, issuer).verify({ receipt })
const failedOf = ({ checks }: Awaited<ReturnType<typeof verdict>>) =>
  checks.filter(({ ok }) => !ok).map(({ check }) => check)
const later = (seconds: number) => new Date((nowSeconds() + seconds) * 1000).toISOString()

verifies(
  'receipt.verify',
  'a receipt verifies by id, digest or itself; a changed one does not',
  async () => {
    const { stored } = await fresh('a')
    const verification = new ReceiptService(database.db, issuer)
    const byItself = await verification.verify({ receipt: stored })
    expect(byItself).toMatchObject({ verified: true, kind: 'payout_created', stored: true })
    expect(await verification.verify({ receipt_id: String(byItself['receipt_id']) })).toMatchObject(
      { verified: true },
    )
    expect(
      await verification.verify({ payload_sha256: String(byItself['payload_sha256']) }),
    ).toMatchObject({
      verified: true,
    })
    const [header, payload, signature = ''] = stored.split('.')
    const broken = await verdict(
      `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    )
    expect(broken).toMatchObject({ verified: false })
    expect(broken['checks']).toContainEqual({
      check: 'signature',
      ok: false,
      detail: 'the signature does not verify',
    })
    await expect(verification.verify({ receipt_id: `rc_${'0'.repeat(64)}` })).rejects.toThrow(
      'not_found: no receipt of this service has that id',
    )
    await expect(verification.verify({ payload_sha256: '0'.repeat(64) })).rejects.toThrow(
      'not_found: no receipt of this service has that payload_sha256',
    )
  },
)

verifies(
  ['receipt.key-rotation', 'keys.retired'],
  'a retired key keeps its earlier receipts valid, and no later ones',
  async () => {
    const { stored, forged, key } = await fresh('b')
    const issued = nowSeconds()
    await endKey(database.db, 'retire', key)
    expect(await verdict(stored)).toMatchObject({
      verified: true,
      signature: { key_state_at_issue: 'active' },
    })
    const { db } = database
    const asOfLater = await new ReceiptService(db, issuer).verify({
      receipt: stored,
      at: later(60),
    })
    expect(asOfLater).toMatchObject({
      verified: true,
      signature: { key_state_at_issue: 'active', key_state_at: 'retired' },
    })
    expect(failedOf(await verdict(await forged(issued)))).toEqual(['log'])
    const before = await verdict(await forged(issued - 60))
    expect(failedOf(before)).toEqual(['key_standing', 'log'])
    expect(before).toMatchObject({ signature: { key_state_at_issue: 'unknown' } })
    await sql`alter table signing_keys disable trigger user`.execute(db)
    await sql`update signing_keys set published_at = published_at - interval '120 s'
      where kid = ${key.kid}`.execute(db)
    await sql`alter table signing_keys enable trigger user`.execute(db)
    expect(await verdict(await forged(issued - 60))).toMatchObject({
      signature: { key_state_at_issue: 'published' },
    })
    const after = await verdict(await forged(nowSeconds() + 2))
    expect(after).toMatchObject({
      verified: false,
      signature: { key_state_at_issue: 'retired', valid: true },
    })
    expect(after['checks']).toContainEqual({
      check: 'key_standing',
      ok: false,
      detail: 'the key was retired before the receipt is dated',
    })
  },
)

verifies(
  ['receipt.key-rotation', 'keys.revoked-receipt'],
  'of a revoked key only receipts stored before the revocation are valid',
  async () => {
    const { stored, forged, key } = await fresh('c')
    const backdated = await forged(nowSeconds())
    expect(failedOf(await verdict(backdated))).toEqual(['log'])
    await endKey(database.db, 'revoke', key)
    expect(await verdict(stored)).toMatchObject({ verified: true })
    expect(await verdict(backdated)).toMatchObject({ verified: false })
    const late = {
      subject: 'c2',
      kid: key.kid,
      kind: 'payout_created',
      seq: 0,
      payload_sha256: '0'.repeat(64),
    }
    await database.db
      .insertInto('receipts')
      .values({ ...late, receipt_id: receiptId(backdated), jws: backdated, prev: null })
      .execute()
    expect(await verdict(backdated)).toMatchObject({ verified: false, stored: true })
  },
)

verifies(
  'receipt.verify.log',
  'a receipt is verified once it is in the log, and in trees that have it',
  async () => {
    const keys = keyRings(generateSigningKeys(new Date()))
    await publishKeys(database.db, keys)
    const facts = { usage: 'synthetic', environment: 'local', issuer, facts: {} } as const
    const append = (subject: string) =>
      appendReceipt(
        database.db,
        receiptSigner(keys),
        { ...facts, subject, kind: 'payout_created' },
        nowSeconds(),
      )
    const jws = await append('d')
    expect(await verdict(jws)).toMatchObject({ verified: false, log_state: 'pending' })
    const sequenced = sequence({ db: database.db, keys, origin: logOrigin(issuer) })
    const found = await verdict(jws)
    await sequenced
    expect(found).toMatchObject({ verified: true, log_state: 'included' })
    const { leaf_index: index, tree_size: size } = found
    expect(size).toBe(Number(index) + 1)
    const verification = new ReceiptService(database.db, issuer)
    const inTree = (tree_size: number) =>
      verification.verify({ receipt: jws, tree_size: String(tree_size) })
    expect(await inTree(Number(size))).toMatchObject({ log_state: 'included' })
    expect(await inTree(Number(index))).toMatchObject({ verified: false, log_state: 'absent' })
    await expect(inTree(Number(size) + 1)).rejects.toThrow('not_found')
  },
)

verifies(
  'receipt.verify.log',
  'what was never stored is absent, a sample exempt, a broken one unread',
  async () => {
    const { forged, stored, sample } = await fresh('f')
    expect(await verdict(await forged(nowSeconds() - 60))).toMatchObject({
      verified: false,
      log_state: 'absent',
    })
    expect(await verdict(sample)).toMatchObject({ verified: true, log_state: 'exempt' })
    expect(await verdict(`${stored.slice(0, -8)}AAAAAAAA`)).toMatchObject({
      verified: false,
      log_state: 'not_checked',
    })
  },
)

verifies(
  'receipt.chain',
  'receipts of a subject form a chain; a second of a kind is the first',
  async () => {
    const keys = keyRings(generateSigningKeys(new Date()))
    await publishKeys(database.db, keys)
    const sign = receiptSigner(keys)
    const append = (kind: string) =>
      appendReceipt(
        database.db,
        sign,
        { subject: 'e', kind, usage: 'synthetic', environment: 'local', issuer, facts: {} },
        nowSeconds(),
      )
    const first = await append('payout_created')
    const second = await append('payout_authorized')
    expect(await append('payout_created')).toBe(first)
    const claims = JSON.parse(Buffer.from(second.split('.')[1] ?? '', 'base64url').toString()) as {
      prev: string
    }
    const { createHash } = await import('node:crypto')
    expect(claims.prev).toBe(createHash('sha256').update(first).digest('hex'))
  },
)
