import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { receiptSigner } from '../../activities/build-deps.ts'
import { generateSigningKeys } from '../../activities/keys/generate.ts'
import { keyRings } from '../../activities/keys/key-ring.ts'
import { appendReceipt } from '../../activities/store/receipts.ts'
import { registerPublicKeys } from '../../activities/store/signing-keys.ts'
import { createReceiptVerification } from '../../activities/trust.ts'
import { startDatabase, type TestDatabase } from '../support/postgres.ts'
import { verifies } from '../verifies.ts'

const issuer = 'https://svc.example/api/trust-contract'
let database: TestDatabase
const nowSeconds = () => Math.floor(Date.now() / 1000)

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

/** A fresh receipt key with a stored receipt and one that was signed but never stored, both of now. */
async function fresh(name: string) {
  await database.db.deleteFrom('receipts').execute()
  await database.db.deleteFrom('signing_keys').execute()
  const keys = keyRings(generateSigningKeys(new Date()))
  await registerPublicKeys(database.db, keys.receipt.publicKeys)
  const sign = receiptSigner(keys)
  const stored = await appendReceipt(
    database.db,
    sign,
    { subject: name, kind: 'payout_created', usage: 'synthetic', environment: 'local', issuer, facts: {} },
    nowSeconds(),
  )
  const backdated = sign({
    iss: issuer,
    iat: nowSeconds() - 86_400,
    sub: name,
    kind: 'payout_created',
    usage: 'synthetic',
    environment: 'local',
    prev: null,
  }).jws
  return { stored, backdated }
}

const change = (column: 'retired_at' | 'revoked_at', seconds: number) =>
  sql`update signing_keys set ${sql.ref(column)} = clock_timestamp() + ${seconds} * interval '1 second' where ring = 'receipt'`.execute(
    database.db,
  )
const verdict = (receipt: string) => createReceiptVerification(database.db, issuer).verify({ receipt })

verifies(
  'receipt.verify',
  'a receipt verifies by id, by digest and by itself; a changed one says that its signature is wrong',
  async () => {
    const { stored } = await fresh('a')
    const verification = createReceiptVerification(database.db, issuer)
    const byItself = await verification.verify({ receipt: stored })
    expect(byItself).toMatchObject({ verified: true, kind: 'payout_created', stored: true })
    expect(await verification.verify({ receipt_id: String(byItself['receipt_id']) })).toMatchObject({ verified: true })
    expect(await verification.verify({ payload_sha256: String(byItself['payload_sha256']) })).toMatchObject({
      verified: true,
    })
    const [header, payload, signature = ''] = stored.split('.')
    const broken = await verdict(`${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`)
    expect(broken).toMatchObject({ verified: false })
    expect(broken['checks']).toContainEqual({ check: 'signature', ok: false, detail: 'the signature does not verify' })
    await expect(verification.verify({ receipt_id: `rc_${'0'.repeat(64)}` })).rejects.toThrow('not_found')
  },
)

verifies(
  'receipt.key-rotation',
  'a receipt of a retired key stays valid, and says what the key was when it was signed',
  async () => {
    const { stored } = await fresh('b')
    await change('retired_at', 60)
    expect(await verdict(stored)).toMatchObject({ verified: true, signature: { key_state_at_issue: 'active' } })
    await change('retired_at', -60)
    expect(await verdict(stored)).toMatchObject({ verified: true, signature: { key_state_at_issue: 'retired' } })
  },
)

verifies(
  'receipt.key-rotation',
  'of a revoked key only receipts that our store holds from before are valid, whatever their iat says',
  async () => {
    const { stored, backdated } = await fresh('c')
    expect(await verdict(backdated)).toMatchObject({ verified: true, stored: false })
    await change('revoked_at', 1)
    expect(await verdict(stored)).toMatchObject({ verified: true })
    expect(await verdict(backdated)).toMatchObject({ verified: false })
    await change('revoked_at', -3600)
    expect(await verdict(stored)).toMatchObject({ verified: false })
  },
)

verifies(
  'receipt.chain',
  'each receipt of a subject carries the digest of the one before, and a second of one kind is the first again',
  async () => {
    await fresh('d')
    const sign = receiptSigner(keyRings(generateSigningKeys(new Date())))
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
    const claims = JSON.parse(Buffer.from(second.split('.')[1] ?? '', 'base64url').toString()) as { prev: string }
    const { createHash } = await import('node:crypto')
    expect(claims.prev).toBe(createHash('sha256').update(first).digest('hex'))
  },
)
