import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

async function newPayout(): Promise<string> {
  const row = {
    payout_id: `po_${hex(32)}`,
    creator: `0x${hex(20)}`,
    idempotency_key: hex(8),
    recipient: `0x${hex(20)}`,
    amount_atomic: '1000000',
    memo: 'm',
    rail_reference: 'r',
    usage: 'synthetic' as const,
    asset: `0x${hex(20)}`,
    payout_wallet: `0x${hex(20)}`,
    terms_sha256: hex(32),
    state: 'created' as const,
  }
  await database.db
    .insertInto('payouts')
    .values(row as never)
    .execute()
  return row.payout_id
}

const authorization =
  "authorized_at = '2026-11-20', expires_at = 2000000000, authorize_idempotency_key = 'k', authorize_fingerprint = 'f', mandate_ref = 'm', principal_signature = '0x' || repeat('11', 65), transfer_nonce = '0x' || repeat('22', 32)"
/** The columns that each state sets. */
const members: Record<string, string> = {
  created:
    'authorized_at = null, executed_at = null, expires_at = null, authorize_idempotency_key = null, authorize_fingerprint = null, mandate_ref = null, principal_signature = null, transfer_nonce = null',
  authorized: `${authorization}, executed_at = null`,
  executed: `${authorization}, executed_at = now()`,
}
const move = (id: string, state: string) =>
  sql
    .raw(`update payouts set state = '${state}', ${members[state]} where payout_id = '${id}'`)
    .execute(database.db)
const paths: Record<string, string[]> = {
  created: [],
  authorized: ['authorized'],
  executed: ['authorized', 'executed'],
}
const states = Object.keys(members)

verifies(
  'payout.state.guarded-in-sql',
  'SQL typed by hand moves a payout only along the state table',
  async () => {
    const allowed = new Set([
      'created authorized',
      'authorized executed',
      'created created',
      'authorized authorized',
      'executed executed',
    ])
    for (const from of states) {
      for (const to of states) {
        const id = await newPayout()
        for (const step of paths[from] ?? []) await move(id, step)
        const moved = await move(id, to).then(
          () => true,
          (error: { code?: string }) => error.code !== '23514',
        )
        expect(moved, `${from} ${to}`).toBe(allowed.has(`${from} ${to}`))
      }
    }
  },
)

verifies('payout.state.guarded-in-sql', 'a payout begins as created, within the cap', async () => {
  const insert = (changes: string) =>
    sql
      .raw(
        `insert into payouts select (jsonb_populate_record(p, jsonb_build_object('payout_id', 'po_' || repeat('1', 64), 'idempotency_key', 'other') || '${changes}')).* from payouts p limit 1`,
      )
      .execute(database.db)
  await newPayout()
  await sql`delete from payouts where state <> 'created'`.execute(database.db)
  await expect(insert('{"amount_atomic": 25000001}')).rejects.toMatchObject({ code: '23514' })
  await expect(insert('{"amount_atomic": 0}')).rejects.toMatchObject({ code: '23514' })
  await expect(insert('{"recipient": "0xAB"}')).rejects.toMatchObject({ code: '23514' })
  await expect(insert('{"state": "executed"}')).rejects.toMatchObject({ code: '23514' })
  await insert('{"amount_atomic": 25000000}')
})

verifies(
  'payout.state.guarded-in-sql',
  'no term of a payout can be changed, in any state',
  async () => {
    const changes = [
      "recipient = '0x' || repeat('0', 40)",
      'amount_atomic = 2',
      "memo = 'n'",
      "rail_reference = 's'",
      "usage = 'operational'",
      "terms_sha256 = repeat('0', 64)",
      "creator = '0x' || repeat('0', 40)",
      "idempotency_key = 'x'",
      "asset = '0x' || repeat('0', 40)",
      "payout_wallet = '0x' || repeat('0', 40)",
      'created_at = now()',
    ]
    for (const state of states) {
      const id = await newPayout()
      for (const step of paths[state] ?? []) await move(id, step)
      for (const change of changes) {
        await expect(
          sql.raw(`update payouts set ${change} where payout_id = '${id}'`).execute(database.db),
          change,
        ).rejects.toMatchObject({ code: '23514' })
      }
    }
  },
)
