import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Difference, sections } from '#domain/core/difference.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { readGasWallet } from '../../../activities/store/reconciliation/findings.ts'
import {
  completeReconciliation,
  listDuePayments,
  listDuePayouts,
  openReconciliation,
  type ReconciliationRow,
} from '../../../activities/store/reconciliation/reconciliations.ts'
import {
  closeException,
  markGone,
  recordDifference,
} from '../../../activities/store/tasks/exceptions.ts'
import { startOwnDatabase, type TestDatabase } from '../../support/postgres.ts'
import { within } from '../../support/slowness.ts'
import { verifies } from '../../verifies.ts'
import { hex, placeAt, seedFee, seedPayout } from './rows.ts'

let database: TestDatabase
let db: Tx
beforeAll(async () => {
  // A snapshot counts the open transactions of all databases of its server.
  database = await startOwnDatabase()
  db = database.db
})
afterAll(async () => {
  await database?.stop()
})

let runs = 0
async function begin(scope: 'changed' | 'all' = 'changed'): Promise<ReconciliationRow> {
  return openReconciliation(db, {
    reconciliationId: `run-${++runs}`,
    scope,
    throughBlock: BigInt(runs * 10),
  })
}
const complete = async ({ reconciliation_id }: ReconciliationRow) => {
  await placeAt(database.db, reconciliation_id, 2 * sections.length)
  await completeReconciliation(db, reconciliation_id, 0)
}
const due = ({ changed_since }: ReconciliationRow) => listDuePayouts(db, changed_since, null, 1_000)

/** A final payout with as many receipts as it ought to have, so that only a change makes it due. */
async function finished(): Promise<string> {
  const times = { createdAt: 1, authorizedAt: 2, executedAt: 3, block: 1 }
  const { payoutId } = await seedPayout(database.db, `0x${hex(20)}`, { amount: 1n, ...times })
  await sql`insert into receipts (receipt_id, subject, seq, kind, jws, prev, kid, payload_sha256)
    select 'rc_' || encode(sha256((${payoutId} || n)::bytea), 'hex'), ${payoutId}, n, 'kind-' || n, 'x', case when n > 0 then 'p' end, 'k', 'd' from generate_series(0, 3) n`.execute(
    db,
  )
  return payoutId
}

verifies(
  'reconcile.finds-what-changed',
  'rows changed since the last snapshot are due, also late or by hand',
  async () => {
    const [quiet, flipped, bare, touched] = [
      await finished(),
      await finished(),
      await finished(),
      await finished(),
    ]
    const first = await begin()
    expect(first.scope).toBe('all')
    expect(await due(first)).toEqual([quiet, flipped, bare, touched].sort())
    await complete(first)

    const { changed_at } = await db
      .selectFrom('transfers')
      .select('changed_at')
      .where('payout_id', '=', flipped)
      .executeTakeFirstOrThrow()
    await sql`update transfers set transaction_hash = ${`0x${hex(32)}`} where payout_id = ${flipped}`.execute(
      db,
    )
    const row = await db
      .selectFrom('transfers')
      .select('changed_at')
      .where('payout_id', '=', flipped)
      .executeTakeFirstOrThrow()
    expect(row.changed_at).toEqual(changed_at)
    await sql`delete from receipts where subject = ${bare} and seq = 3`.execute(db)
    await sql`update receipts set jws = 'y' where subject = ${touched} and seq = 1`.execute(db)
    const second = await begin()
    expect(second).toMatchObject({ scope: 'changed', from_block: '11', through_block: '20' })
    expect(await due(second)).toEqual([flipped, bare, touched].sort())
    await complete(second)

    // A transaction that was open when the snapshot was taken commits after it: its row is due in the next run.
    const client = await database.pool.connect()
    await client.query('begin')
    await client.query(`update payouts set usage = usage where payout_id = '${quiet}'`)
    const third = await begin()
    expect(await due(third)).not.toContain(quiet)
    await complete(third)
    await client.query('commit')
    client.release()
    const fourth = await begin()
    expect(await due(fourth)).toEqual([quiet, bare].sort())
    await complete(fourth)
  },
)

verifies(
  'reconcile.finds-what-changed',
  'a snapshot of another server or of the future includes all rows',
  async () => {
    await sql`update reconciliations set snapshot_xid = '99999999999' where completed_at is not null`.execute(
      db,
    )
    expect((await begin()).scope).toBe('all')
    await sql`delete from reconciliations where reconciliation_id not in (select opened_by from exceptions)`.execute(
      db,
    )
    expect((await begin('all')).scope).toBe('all')
  },
)

const difference = (more: Partial<Difference> = {}): Difference => ({
  code: 'receipt_missing',
  subject: 'po_1',
  evidence: { stored: ['a'], found: ['b'] },
  ...more,
})

verifies(
  ['reconcile.exceptions', 'reconcile.close'],
  'a difference opens one exception; only new evidence reopens it',
  async () => {
    const run = await begin()
    const see = (more?: Partial<Difference>) =>
      recordDifference(db, run.reconciliation_id, difference(more))
    expect([await see(), await see(), await see({ evidence: { stored: 1, found: 2 } })]).toEqual([
      true,
      false,
      false,
    ])
    expect(await see({ subject: 'po_2' })).toBe(true)
    const [row] = await db
      .selectFrom('exceptions')
      .selectAll()
      .where('subject', '=', 'po_1')
      .execute()
    const close = (closedBy: string, reason: string) =>
      closeException(db, { exceptionId: row?.exception_id as string, closedBy, reason })
    await close('op', 'known')
    expect((await close('op', 'known')).reason).toBe('known')
    await expect(close('op', 'other')).rejects.toMatchObject({ refusal: { code: 'wrong_state' } })
    await expect(
      closeException(db, { exceptionId: 'ex_0', closedBy: 'op', reason: 'x' }),
    ).rejects.toMatchObject({
      refusal: { code: 'not_found' },
    })
    const later = await begin()
    const seeLater = (more?: Partial<Difference>) =>
      recordDifference(db, later.reconciliation_id, difference(more))
    expect(await seeLater()).toBe(false)
    expect(await seeLater({ evidence: { stored: 1, found: 3 } })).toBe(true)
    await markGone(db, new Date(Date.now() + 60_000))
    const states = await db
      .selectFrom('exceptions')
      .select(['subject', 'state', 'seen'])
      .where('subject', 'like', 'po%')
      .orderBy('first_seen_at')
      .execute()
    expect(states).toEqual([
      { subject: 'po_1', state: 'closed', seen: false },
      { subject: 'po_2', state: 'open', seen: false },
      { subject: 'po_1', state: 'open', seen: false },
    ])
    for (const text of [
      'delete from exceptions',
      `update exceptions set evidence = '{}'`,
      `update exceptions set reason = 'no' where state = 'closed'`,
    ])
      await expect(sql.raw(text).execute(db)).rejects.toMatchObject({ code: '23514' })
  },
)

verifies(
  'reconcile.compares',
  'nonces below the chain’s that no mined transaction of ours stands at',
  async () => {
    const wallet = `0x${hex(20)}`
    await sql`insert into gas_wallets values (${wallet}, 0)`.execute(db)
    const outcomes = { 3: 'mined', 4: null, 6: 'superseded', 7: 'reverted', 8: null }
    for (const [nonce, outcome] of Object.entries(outcomes))
      await sql`insert into gas_wallet_transactions (tx_hash, gas_wallet, eoa_nonce, purpose, to_address, data, gas, max_fee_per_gas, max_priority_fee_per_gas, raw, outcome)
      values (${`0x${hex(32)}`}, ${wallet}, ${nonce}, ${hex(4)}, 'a', '0x', 1, 1, 1, '0x', ${outcome})`.execute(
        db,
      )
    expect(await readGasWallet(db, wallet, 8n)).toEqual({
      wallet,
      chainNonce: '8',
      unsettled: ['4'],
      foreign: ['5', '6'],
    })
    expect(await readGasWallet(db, wallet, 0n)).toMatchObject({ unsettled: [], foreign: [] })
  },
)

verifies(
  'reconcile.finds-what-changed',
  'of 100,000 payouts a run finds the few that are due in seconds',
  async () => {
    const client = await database.pool.connect()
    await client.query(`insert into payouts select 'po_' || encode(sha256(n::text::bytea), 'hex'), '0x' || repeat('a', 40), 'k' || n, '0x' || repeat('b', 40), 1, 'm', 'r',
      'synthetic', '0x' || repeat('c', 40), '0x' || repeat('d', 40), repeat('e', 64), 'created' from generate_series(1, 100000) n`)
    await client.query(`insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
      select 'rc_' || right(payout_id, 64), payout_id, 0, 'payout_created', 'x', 'k', 'd' from payouts where creator = '0x' || repeat('a', 40)`)
    await client.query('analyze')
    client.release()
    await complete(await begin('all'))
    const [one] = await db
      .selectFrom('payouts')
      .select('payout_id')
      .where('creator', '=', `0x${'a'.repeat(40)}`)
      .limit(1)
      .execute()
    await sql`update payouts set memo = memo where payout_id = ${one?.payout_id}`.execute(db)
    await seedFee(database.db, 1n, 1)
    const run = await begin()
    const begun = performance.now()
    expect(await due(run)).toContain(one?.payout_id)
    expect((await due(run)).length).toBeLessThan(5)
    expect(await listDuePayments(db, run.changed_since, null, 100)).toHaveLength(1)
    expect(performance.now() - begun).toBeLessThan(within(10_000))
  },
)
