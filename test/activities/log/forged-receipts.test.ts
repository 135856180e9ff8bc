import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { receiptId } from '#domain/core/ids.ts'
import { isOurs, receiptSigner } from '../../../activities/container.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { type KeyRings, keyRings } from '../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../activities/keys/publish-keys.ts'
import { sequence } from '../../../activities/log/sequencer.ts'
import { listEntries } from '../../../activities/store/log/leaves.ts'
import { createDatabase, type OpenDatabase } from '../../../activities/store/postgres/db.ts'
import { appendReceipt, listReceipts } from '../../../activities/store/receipts/receipts.ts'
import { readProgress } from '../../../activities/store/tasks/task-records.ts'
import { nowSeconds } from '../../support/agent.ts'
import { startDatabase, type TestDatabase, urlAs } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: TestDatabase
let thief: OpenDatabase
let worker: OpenDatabase
let keys: KeyRings
const issuer = 'https://base.example/api/trust-contract'

beforeAll(async () => {
  database = await startDatabase()
  const open = (role: 'api' | 'worker') =>
    createDatabase({ url: urlAs(role, database.url), applicationName: role, poolSize: 4 })
  thief = open('api')
  worker = open('worker')
  keys = keyRings(generateSigningKeys(new Date()))
  await publishKeys(database.db, keys)
})
afterAll(async () => {
  await thief?.close()
  await worker?.close()
  await database?.stop()
})

const said = { kind: 'payout_authorized', usage: 'synthetic', environment: 'local' }
const append = (subject: string, kind = said.kind) =>
  appendReceipt(
    worker.db,
    receiptSigner(keys),
    { ...said, kind, subject, issuer, facts: {} },
    nowSeconds(),
  )
const sequenced = () => sequence({ db: worker.db, keys, origin: 'base.example/log', isOurs })

type Row = { subject: string; seq: number; kind: string; jws: string; receipt_id?: string }
const insert = ({ receipt_id, ...row }: Row) =>
  thief.db
    .insertInto('receipts')
    .values({
      receipt_id: receipt_id ?? receiptId(row.jws),
      prev: row.seq === 0 ? null : 'p',
      kid: 'k',
      payload_sha256: 'p',
      ...row,
    })
    .execute()

verifies(
  ['log.forged-receipts', 'stolen.role-api', 'stolen.role-worker'],
  'a row that no key of ours signed blocks no subject and is no leaf',
  async () => {
    const genuine = await append('other')
    const [header, payload, signature = ''] = genuine.split('.')
    const changed = `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    const forgeries = ['e30.e30.AAAA', 'no receipt', changed]
    for (const [seq, jws] of forgeries.entries()) {
      const subject = `po_${seq}`
      await insert({ subject, seq: 0, kind: said.kind, jws })
      await expect(append(subject), jws).rejects.toMatchObject({ refusal: { code: 'unavailable' } })
      await expect(append(subject, 'payout_executed')).rejects.toMatchObject({
        refusal: { code: 'unavailable' },
      })
    }
    await sequenced()
    expect(await listEntries(worker.db, 0, 10)).toHaveLength(1)
    for (const seq of forgeries.keys()) {
      const subject = `po_${seq}`
      expect(await listReceipts(worker.db, subject)).toEqual([])
      const written = await append(subject)
      expect(await append(subject)).toBe(written)
      expect((await listReceipts(worker.db, subject)).map(({ jws }) => jws)).toEqual([written])
    }
    await sequenced()
    expect(await listEntries(worker.db, 0, 10)).toHaveLength(1 + forgeries.length)
    const { rows } = await sql`select from log_outbox`.execute(database.db)
    expect(rows).toEqual([])
  },
)

verifies(
  'log.forged-receipts',
  'a row that was set aside is no record of its subject',
  async () => {
    const agentId = 'agt_forged'
    await insert({ subject: agentId, seq: 0, kind: 'onboarding', jws: 'no onboarding' })
    await sequenced()
    expect(await readProgress(worker.db, agentId)).toMatchObject({ registered: false })
    await append(agentId, 'onboarding')
    expect(await readProgress(worker.db, agentId)).toMatchObject({ registered: true })
  },
)

verifies('log.forged-receipts', 'one text is one row, under its own name', async () => {
  const row = { subject: 'po_x', seq: 0, kind: said.kind, jws: 'another text' }
  await expect(insert({ ...row, receipt_id: `rc_${'1'.repeat(64)}` })).rejects.toThrow(
    'a receipt is named by its digest',
  )
  await insert(row)
  await expect(insert({ ...row, subject: 'po_y' })).rejects.toMatchObject({ code: '23505' })
  await expect(
    sql`update receipts set set_aside_at = now()`.execute(thief.db),
  ).rejects.toMatchObject({ code: '42501' })
})
