import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { transaction } from '../../../activities/store/postgres/db.ts'
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

/** A payout with a mandate that is used for it. */
async function newMandate() {
  const payoutId = await newPayout()
  const mandateId = `mdt_${hex(32)}`
  await sql`insert into mandates (mandate_id, operator_id, payout_id, request_sha256, ap2_mandate, replay_key, expires_at)
    values (${mandateId}, 'o', ${payoutId}, ${hex(32)}, 'm~', ${`us|${mandateId}`}, now())`.execute(
    database.db,
  )
  await sql`insert into replay_ledger (kind, key, subject) values ('mandate', ${`us|${mandateId}`}, ${payoutId})`.execute(
    database.db,
  )
  const revoke = () =>
    sql`update mandates set revoked_at = now(), revoked_by = 'o', revoke_reason = 'r' where mandate_id = ${mandateId}`.execute(
      database.db,
    )
  return { payoutId, mandateId, revoke }
}
const reserve = (payoutId: string) =>
  sql`insert into transfers (payout_id, nonce, wallet, recipient, amount_atomic, valid_after, valid_before, status, call_id)
    select payout_id, transfer_nonce, payout_wallet, recipient, amount_atomic, 0, expires_at, 'reserved', 'c' from payouts
    where payout_id = ${payoutId}`.execute(database.db)

verifies('mandate.revoke.guarded', 'SQL lets no payout move by a revoked mandate', async () => {
  const refused = { message: expect.stringContaining('the mandate of the payout is revoked') }
  const early = await newMandate()
  await early.revoke()
  await expect(move(early.payoutId, 'authorized')).rejects.toMatchObject(refused)

  const late = await newMandate()
  await move(late.payoutId, 'authorized')
  await expect(reserve(late.payoutId)).rejects.toMatchObject({
    message: expect.stringContaining('is the effect of an execute by its creator'),
  })
  await late.revoke()
  await expect(reserve(late.payoutId)).rejects.toMatchObject(refused)

  // A mandate that was not used for the payout says nothing about it.
  const other = await newMandate()
  await sql`delete from replay_ledger where subject = ${other.payoutId}`.execute(database.db)
  await other.revoke()
  await move(other.payoutId, 'authorized')

  for (const change of [
    'revoked_at = null, revoked_by = null, revoke_reason = null',
    "revoke_reason = 's'",
  ])
    await expect(
      sql`update mandates set ${sql.raw(change)} where mandate_id = ${late.mandateId}`.execute(
        database.db,
      ),
    ).rejects.toMatchObject({ message: expect.stringContaining('a revoked mandate stays revoked') })
  await expect(
    sql`update mandates set payout_id = ${early.payoutId} where mandate_id = ${late.mandateId}`.execute(
      database.db,
    ),
  ).rejects.toMatchObject({ code: '23514' })
  await expect(
    sql`delete from mandates where mandate_id = ${late.mandateId}`.execute(database.db),
  ).rejects.toMatchObject({ code: '23514' })
})

verifies('mandate.revoke.guarded', 'a revocation waits for an authorization', async () => {
  const { payoutId, revoke } = await newMandate()
  const order: string[] = []
  let revoked: Promise<unknown> = Promise.resolve()
  await transaction(database.db, async (tx) => {
    await sql
      .raw(
        `update payouts set state = 'authorized', ${authorization} where payout_id = '${payoutId}'`,
      )
      .execute(tx)
    revoked = revoke().then(() => order.push('revoked'))
    await waitingFor('mandates')
    order.push('authorized')
  })
  await revoked
  expect(order).toEqual(['authorized', 'revoked'])
})

verifies('mandate.revoke.guarded', 'an authorization waits for a revocation', async () => {
  const { payoutId, mandateId } = await newMandate()
  let moved: Promise<unknown> = Promise.resolve()
  await transaction(database.db, async (tx) => {
    await sql`update mandates set revoked_at = now(), revoked_by = 'o', revoke_reason = 'r' where mandate_id = ${mandateId}`.execute(
      tx,
    )
    moved = expect(move(payoutId, 'authorized')).rejects.toMatchObject({
      message: expect.stringContaining('the mandate of the payout is revoked'),
    })
    await waitingFor('mandates')
  })
  await moved
})

/** Returns when a statement waits for a lock of this table. */
async function waitingFor(table: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ waits: boolean }>`select exists (select from pg_stat_activity a
      where wait_event_type = 'Lock' and datname = current_database() and exists (select from pg_locks l
        where l.pid = a.pid and l.relation = ${table}::regclass)) as waits`.execute(database.db)
    if (rows[0]?.waits) return
  }
}
