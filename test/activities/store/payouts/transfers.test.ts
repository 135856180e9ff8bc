import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { transferNonce } from '#domain/core/ids.ts'
import { markExecuted, type NewPayout } from '../../../../activities/store/payouts/payouts.ts'
import {
  type Block,
  insertTransfer,
  lockDailyCap,
  outstanding,
  recordDead,
  recordInclusion,
  recordParked,
  recordSignature,
  recordSubmitted,
  recordVanishedBlock,
  reservedTransfer,
} from '../../../../activities/store/payouts/transfers.ts'
import { createDatabase, transaction } from '../../../../activities/store/postgres/db.ts'
import { finalizedBlock } from '../../../support/chain.ts'
import { dailyUse, insertAuthorizedPayout } from '../../../support/payout-rows.ts'
import { startDatabase, type TestDatabase, urlAs } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

const proof = {
  reason: 'expired',
  finalizedBlock: { ...finalizedBlock, timestamp: 4_200_000_000n },
} as const

let database: TestDatabase
let count = 0

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

const hex = (digits: number): string => (count++).toString(16).padStart(digits, '0')
const address = (): string => `0x${hex(40)}`

async function newPayout(wallet: string, amount: bigint): Promise<NewPayout> {
  const payout: NewPayout = {
    payout_id: `po_${hex(64)}`,
    creator: address(),
    idempotency_key: 'k',
    recipient: address(),
    amount_atomic: amount.toString(),
    memo: 'm',
    rail_reference: 'r',
    usage: 'synthetic',
    asset: address(),
    payout_wallet: wallet,
    terms_sha256: hex(64),
  }
  await insertAuthorizedPayout(database.db, payout, 4_102_444_800)
  return payout
}

async function newCallRow(callId: string, creator: string): Promise<string> {
  await database.db
    .insertInto('calls')
    .values({
      call_id: callId,
      caller: `wallet:${creator}`,
      operation: 'payout-execute',
      key: callId,
      fingerprint: 'f',
      grant_state: 'used',
      answer_state: 'open',
      funding: 'none',
      path: '/',
    })
    .execute()
  return callId
}

async function reserve(payout: NewPayout, cap: bigint): Promise<boolean> {
  const callId = await newCallRow(`call_${payout.payout_id}`, payout.creator)
  return transaction(database.db, async (tx) => {
    await lockDailyCap(tx, { payoutId: payout.payout_id })
    const { atomic } = await dailyUse(tx, payout.payout_wallet)
    if (atomic + BigInt(payout.amount_atomic) > cap) return false
    const nonce = transferNonce(payout.asset, payout.payout_id)
    const reservation = { nonce, validBefore: 4_102_444_800, callId }
    await insertTransfer(reservedTransfer(payout, reservation, Date.now() / 1000)).run(tx)
    return true
  })
}

const block = (ageSeconds: number): Block => ({
  transactionHash: `0x${hex(64)}`,
  blockNumber: 7n,
  blockHash: `0x${hex(64)}`,
  blockTime: BigInt(Math.floor(Date.now() / 1000) - ageSeconds),
  confirmations: 1,
})

verifies(
  'execute.daily-cap',
  '30 parallel reservations of 9 USDC never pass a cap of 100 USDC',
  async () => {
    const wallet = address()
    const payouts = await Promise.all(
      Array.from({ length: 30 }, () => newPayout(wallet, 9_000_000n)),
    )
    const reserved = await Promise.all(payouts.map((payout) => reserve(payout, 100_000_000n)))
    expect(reserved.filter(Boolean)).toHaveLength(11)
    expect((await dailyUse(database.db, wallet)).atomic).toBe(99_000_000n)
  },
)

verifies(
  'minimum-balance.refuses',
  'amounts in flight and mined after the balance was read are promised',
  async () => {
    const wallet = address()
    const [inFlight, mined, dead] = await Promise.all(
      [1n, 10n, 100n].map((amount) => newPayout(wallet, amount)),
    )
    for (const payout of [inFlight!, mined!, dead!]) await reserve(payout, 1_000n)
    await recordDead(database.db, { payoutId: dead!.payout_id, exception: null }, proof)
    expect(await outstanding(database.db, wallet, 6n)).toBe(11n)
    await recordSignature(database.db, mined!.payout_id, '0x01')
    await recordSubmitted(database.db, mined!.payout_id, `0x${hex(64)}`, null)
    await recordInclusion(database.db, mined!.payout_id, block(60), 'included')
    expect(await outstanding(database.db, wallet, 6n)).toBe(11n)
    expect(await outstanding(database.db, wallet, 7n)).toBe(1n)
  },
)

verifies(
  'execute.daily-cap',
  'reservations count in flight, then 24 hours of block time, dead never',
  async () => {
    const wallet = address()
    const [inFlight, fresh, old, dead] = await Promise.all(
      [1n, 10n, 100n, 1000n].map((amount) => newPayout(wallet, amount)),
    )
    for (const payout of [inFlight!, fresh!, old!, dead!]) await reserve(payout, 100_000n)
    for (const [payout, age] of [
      [fresh!, 60],
      [old!, 25 * 3600],
    ] as const) {
      await recordSignature(database.db, payout.payout_id, '0x01')
      await recordSubmitted(database.db, payout.payout_id, `0x${hex(64)}`, null)
      await recordInclusion(database.db, payout.payout_id, block(age), 'included')
    }
    await recordDead(database.db, { payoutId: dead!.payout_id, exception: null }, proof)
    expect((await dailyUse(database.db, wallet)).atomic).toBe(11n)
  },
)

const HOUR = 3600
/** Seconds since a block; never so near to 24 hours that it depends on when it is asked. */
const age = fc.oneof(
  fc.nat(1200),
  fc.integer({ min: 24 * HOUR - 1200, max: 24 * HOUR - 60 }),
  fc.integer({ min: 24 * HOUR + 60, max: 25 * HOUR }),
)
const commands = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constant('mined' as const),
      of: fc.nat(4),
      age,
      status: fc.constantFrom('included', 'final'),
    }),
    fc.record({ act: fc.constantFrom('vanished' as const, 'dead' as const), of: fc.nat(4) }),
  ),
  { maxLength: 12 },
)

verifies(
  'execute.daily-cap',
  'the cap equals the sum of the rows whatever the order of blocks',
  async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const wallet = address()
        const payouts = await Promise.all(
          [1n, 10n, 100n, 1_000n, 10_000n].map((amount) => newPayout(wallet, amount)),
        )
        for (const payout of payouts) {
          await reserve(payout, 100_000_000n)
          await recordSignature(database.db, payout.payout_id, '0x01')
        }
        for (const step of sequence) {
          const { payout_id } = payouts[step.of]!
          if (step.act === 'mined')
            await recordInclusion(database.db, payout_id, block(step.age), step.status)
          else if (step.act === 'vanished') await recordVanishedBlock(database.db, payout_id)
          else await recordDead(database.db, { payoutId: payout_id, exception: null }, proof)
        }
        expect(await dailyUse(database.db, wallet)).toEqual(await addedUp(wallet))
      }),
      { numRuns: 60 },
    )
  },
)

/** The use of a wallet as its single rows add up. */
async function addedUp(wallet: string): Promise<{ atomic: bigint; freesInMs: unknown }> {
  const rows = await database.db
    .selectFrom('transfers')
    .selectAll()
    .where('wallet', '=', wallet)
    .execute()
  const opens = Date.now() - 24 * HOUR * 1000
  const confirmed = rows.filter(
    ({ status, block_time }) =>
      /included|final/.test(status) && (block_time?.getTime() ?? 0) > opens,
  )
  const counted = [
    ...confirmed,
    ...rows.filter(({ status }) => /reserved|signed|submitted/.test(status)),
  ]
  const oldest = Math.min(...confirmed.map(({ block_time }) => block_time?.getTime() ?? 0))
  return {
    atomic: counted.reduce((sum, { amount_atomic }) => sum + BigInt(amount_atomic), 0n),
    freesInMs: confirmed.length === 0 ? null : expect.closeTo(oldest - opens, -4),
  }
}

verifies(
  'execute.never-resigned',
  'a signed authorization is never replaced, by the store or by SQL',
  async () => {
    const payout = await newPayout(address(), 5n)
    await reserve(payout, 100n)
    await recordSignature(database.db, payout.payout_id, '0x01')
    await recordSignature(database.db, payout.payout_id, '0x02')
    const row = await database.db
      .selectFrom('transfers')
      .select('signature')
      .where('payout_id', '=', payout.payout_id)
      .executeTakeFirst()
    expect(row?.signature).toBe('0x01')
    await expect(
      sql`update transfers set signature = '0x02' where payout_id = ${payout.payout_id}`.execute(
        database.db,
      ),
    ).rejects.toThrow('never change')
  },
)

verifies(
  'payout.state.guarded-in-sql',
  'the database itself refuses other states, other terms and a way back',
  async () => {
    const payout = await newPayout(address(), 5n)
    const set = (text: string) =>
      sql
        .raw(`update payouts set ${text} where payout_id = '${payout.payout_id}'`)
        .execute(database.db)
    await expect(set(`amount_atomic = 6`)).rejects.toThrow('never change')
    await expect(
      set(
        `state = 'created', authorized_at = null, expires_at = null, mandate_ref = null, authorize_idempotency_key = null, authorize_fingerprint = null`,
      ),
    ).rejects.toThrow('no such payout transition')
    await expect(set(`state = 'executed'`)).rejects.toThrow('violates check constraint')
    await markExecuted(database.db, payout.payout_id)
    await expect(set(`state = 'authorized', executed_at = null`)).rejects.toThrow(
      'no such payout transition',
    )
  },
)

verifies(
  ['signer.signs-only', 'stolen.role-signer'],
  'the signer’s role signs and parks reserved transfers, and nothing else',
  async () => {
    const signer = createDatabase({
      url: urlAs('signer', database.url),
      applicationName: 'signer',
      poolSize: 1,
    })
    const move = (payoutId: string, columns: string) =>
      sql`update transfers set ${sql.raw(columns)} where payout_id = ${payoutId}`.execute(signer.db)
    try {
      const payout = await newPayout(address(), 5n)
      await reserve(payout, 100n)
      const { payout_id } = payout
      const refusals = ["status = 'dead'", "status = 'submitted'", "status = 'signed'"]
      for (const columns of [...refusals, "signature = '0x01'"])
        await expect(move(payout_id, columns), columns).rejects.toMatchObject({ code: '23514' })
      await expect(move(payout_id, "dead_reason = 'expired'")).rejects.toMatchObject({
        code: '42501',
      })
      await recordParked(signer.db, payout_id, 'withheld')
      await recordSignature(signer.db, payout_id, '0x01')
      await recordSubmitted(database.db, payout_id, `0x${hex(64)}`, null)
      for (const columns of ["status = 'dead'", "status = 'reserved'", "parked = 'p'"])
        await expect(move(payout_id, columns), columns).rejects.toMatchObject({ code: '23514' })
    } finally {
      await signer.close()
    }
  },
)

verifies(
  ['execute.dead-proven', 'stolen.role-worker'],
  'no row is dead without the block that proves it',
  async () => {
    const payout = await newPayout(address(), 5n)
    await reserve(payout, 100n)
    const { payout_id } = payout
    const bury = (columns: string) =>
      sql`update transfers set ${sql.raw(columns)} where payout_id = ${payout_id}`.execute(
        database.db,
      )
    const block = `dead_block_number = 1, dead_block_hash = '0x${'1'.repeat(64)}'`
    for (const columns of [
      "status = 'dead'",
      `status = 'dead', dead_reason = 'expired', ${block}`,
      `status = 'dead', dead_reason = 'expired', ${block}, dead_block_time = to_timestamp(valid_before - 1)`,
      `${block}, dead_reason = 'expired', dead_block_time = to_timestamp(valid_before)`,
    ])
      await expect(bury(columns), columns).rejects.toMatchObject({ code: '23514' })
    await bury(
      `status = 'dead', dead_reason = 'expired', ${block}, dead_block_time = to_timestamp(valid_before)`,
    )
    await expect(bury("status = 'reserved'")).rejects.toMatchObject({ code: '23514' })
  },
)

verifies(
  'execute.dead-proven',
  'no payment is failed without its block, and none by the API',
  async () => {
    const api = createDatabase({
      url: urlAs('api', database.url),
      applicationName: 'api',
      poolSize: 1,
    })
    const write = (tx: typeof api.db, state: string, block: string) =>
      sql`insert into payments (payment_id, asset, payer, authorization_nonce, pay_to, amount_atomic, valid_after, valid_before, signature,
        requirements, proof_wallet, state, transaction_hash, block_number${sql.raw(block === '' ? '' : ', failed_block_number, failed_block_hash, failed_block_time')})
        values (${hex(64)}, ${address()}, ${address()}, ${`0x${hex(64)}`}, ${address()}, 1, 0, 1, '0x', '{}', 'w', ${state}, '0x', 1${sql.raw(block)})`.execute(
        tx,
      )
    const block = `, 1, '0x${'1'.repeat(64)}', now()`
    try {
      await expect(write(database.db, 'failed', '')).rejects.toMatchObject({ code: '23514' })
      await expect(write(database.db, 'settling', block)).rejects.toMatchObject({ code: '23514' })
      await write(database.db, 'failed', block)
      await write(api.db, 'settling', '')
      for (const state of ['settled', 'failed'])
        await expect(write(api.db, state, state === 'failed' ? block : '')).rejects.toThrow(
          'an API process settles and fails no payment',
        )
    } finally {
      await api.close()
    }
  },
)
