import fc from 'fast-check'
import { compactVerify, importJWK } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { boundsOf, dayOf, listed } from '#domain/receipts/statement.ts'
import { makeStatement } from '../../../activities/reconciliation/statement.ts'
import {
  countsOf,
  feesOf,
  payoutsAt,
  transfersOf,
} from '../../../activities/store/reconciliation/statements.ts'
import { verifyStatement } from '../../../api/services/reconciliation/reconciliation.ts'
import { verifies } from '../../verifies.ts'
import { type Books, startBooks } from './fixture.ts'
import { type Seed, seedCall, seedFee, seedPayout } from './rows.ts'

let books: Books
beforeAll(async () => {
  books = await startBooks()
})
afterAll(() => books?.stop())

/** The chain's clock goes to so many seconds after the beginning of a day, and the block of that time becomes final. */
async function advanceTo(seconds: number): Promise<number> {
  await books.chain.client.setNextBlockTimestamp({ timestamp: BigInt(seconds) })
  await books.chain.client.mine({ blocks: 4 })
  return Number(await books.chain.client.getBlockNumber({ cacheTime: 0 }))
}

const balanceAt = (address: `0x${string}`, blockNumber: bigint) =>
  books.chain.client.readContract({
    address: books.chain.asset,
    abi: balanceAbi,
    functionName: 'balanceOf',
    args: [address],
    blockNumber,
  })

verifies(
  ['statement.chain', 'statement.sums', 'statement.signed'],
  'three missed days are signed in order, linked, with chain balances',
  async () => {
    expect(await makeStatement(books.deps)).toBeNull()
    const first = dayOf(Number((await books.chain.client.getBlock()).timestamp))
    const days = [0, 1, 2].map((ahead) => dayOf(boundsOf(first).begin + ahead * 86_400))
    for (const [index, day] of days.entries()) {
      const { begin } = boundsOf(day)
      const block =
        index === 0
          ? Number(await books.chain.client.getBlockNumber({ cacheTime: 0 }))
          : await advanceTo(begin + 60)
      const times = { createdAt: begin + 70, authorizedAt: begin + 80, executedAt: begin + 90 }
      await seedPayout(books.db, books.deps.rail.payoutWallet, {
        amount: BigInt(index + 1),
        ...times,
        block,
      })
      await seedFee(books.db, 100_000n, block)
      await seedCall(books.db, begin + 70, 'free')
      await books.chain.mint(books.deps.payTo, BigInt(1_000 + index))
      if (index === 0) expect(await makeStatement(books.deps)).toBeNull()
    }
    await advanceTo(boundsOf(days[2] as string).end)
    expect([
      await makeStatement(books.deps),
      await makeStatement(books.deps),
      await makeStatement(books.deps),
      await makeStatement(books.deps),
    ]).toEqual([...days, null])

    const rows = await books.db.selectFrom('statements').selectAll().orderBy('day').execute()
    const publicKey = await importJWK(books.key.publicJwk as never, 'EdDSA')
    const claims = await Promise.all(
      rows.map(async ({ jws }) =>
        JSON.parse(new TextDecoder().decode((await compactVerify(jws, publicKey)).payload)),
      ),
    )
    expect(claims.map(({ prev }) => prev)).toEqual([
      null,
      ...rows.slice(0, 2).map(({ jws }) => sha256Hex(jws)),
    ])
    for (const [index, claim] of claims.entries()) {
      expect(claim).toMatchObject({
        transfers: { count: 1, sum_atomic: String(index + 1) },
        fees: { count: 1, sum_atomic: '100000' },
        payouts: {
          created: { count: 0 },
          authorized: { count: 0 },
          executed: { count: index + 1 },
          dead: { count: 0 },
        },
        cap: { used_atomic: String(index + 1), limit_atomic: '100000000' },
        pay_to: { in_atomic: String(1_000 + index), out_atomic: '0' },
      })
      expect(claim.calls.free).toBe(1)
      const before = claims[index - 1]
      if (before !== undefined) expect(claim.blocks.opening).toEqual(before.blocks.closing)
      for (const wallet of [claim.payout_wallet, claim.pay_to]) {
        expect(wallet.closing_atomic).toBe(
          (await balanceAt(wallet.address, BigInt(claim.blocks.closing.number))).toString(),
        )
        expect(BigInt(wallet.closing_atomic)).toBe(
          BigInt(wallet.opening_atomic) + BigInt(wallet.in_atomic) - BigInt(wallet.out_atomic),
        )
      }
      expect(await verifyStatement(books.db, rows[index]?.jws as string)).toMatchObject({
        faults: [],
      })
    }
  },
)

verifies(
  'statement.chain',
  'a statement is immutable, and a forged or moved one does not verify',
  async () => {
    const [row] = await books.db
      .selectFrom('statements')
      .selectAll()
      .orderBy('day', 'desc')
      .limit(1)
      .execute()
    const change = (text: string) => sql.raw(text).execute(books.db)
    await expect(change(`update statements set jws = 'x'`)).rejects.toMatchObject({ code: '23514' })
    await expect(change('delete from statements')).rejects.toMatchObject({ code: '23514' })
    const [head, , signature] = (row?.jws ?? '').split('.')
    const { claims } = await verifyStatement(books.db, row?.jws as string)
    const forge = (more: object) =>
      Buffer.from(JSON.stringify({ ...claims, ...more })).toString('base64url')
    expect(
      await verifyStatement(books.db, `${head}.${forge({ fees: 0 })}.${signature}`),
    ).toMatchObject({
      faults: ['its signature does not verify'],
    })
    const sign = await books.deps.signStatement(books.db)
    const { jws } = await sign({ ...claims, prev: '0'.repeat(64) })
    expect(await verifyStatement(books.db, jws)).toMatchObject({
      faults: ['it does not follow the statement of the day before'],
    })
  },
)

const BASE = 1_700_006_400

verifies(
  'statement.sums',
  'the sums of a statement are those of the rows, whatever the rows are',
  async () => {
    const time = fc.integer({ min: BASE - 86_400, max: BASE + 86_400 })
    const seeds = fc.array(
      fc.record({
        amount: fc.bigInt({ min: 1n, max: 25_000_000n }),
        times: fc.uniqueArray(time, { minLength: 3, maxLength: 3 }),
        end: fc.constantFrom('created', 'authorized', 'executed', 'dead'),
        block: fc.integer({ min: 1_000_000, max: 1_000_020 }),
        fee: fc.bigInt({ min: 1n, max: 200_000n }),
      }),
      { maxLength: 12 },
    )
    const span = { after: '1000004', through: '1000015' }
    await fc.assert(
      fc.asyncProperty(seeds, async (made) => {
        await sql`truncate payouts, transfers, calls, payments cascade`.execute(books.db)
        const rows: (Seed & { fee: bigint; payoutId: string; hash: string })[] = []
        for (const { amount, times, end, block, fee } of made) {
          const [createdAt = 0, authorizedAt, last] = [...times].sort()
          const seed: Seed = {
            amount,
            createdAt,
            ...(end === 'created' ? {} : { authorizedAt }),
            ...(end === 'executed' ? { executedAt: last, block } : {}),
            ...(end === 'dead' ? { diedAt: last } : {}),
          }
          rows.push({
            ...seed,
            fee,
            ...(await seedPayout(books.db, books.deps.rail.payoutWallet, seed)),
          })
          await seedFee(books.db, fee, block)
          await seedCall(books.db, createdAt, 'free')
        }
        const before = (seconds: number | undefined) => seconds !== undefined && seconds < BASE
        const stateOf = (row: Seed) => {
          if (before(row.diedAt)) return 'dead'
          if (before(row.executedAt)) return 'executed'
          return before(row.authorizedAt) ? 'authorized' : 'created'
        }
        const standing = await payoutsAt(books.db, BASE)
        for (const state of ['created', 'authorized', 'executed', 'dead'] as const) {
          const those = rows.filter((row) => before(row.createdAt) && stateOf(row) === state)
          expect(standing[state]).toEqual({
            count: those.length,
            sum_atomic: those.reduce((sum, { amount }) => sum + amount, 0n).toString(),
          })
        }
        const inSpan = (block: number) => block > 1_000_004 && block <= 1_000_015
        const moved = rows
          .filter(({ block }) => block !== undefined && inSpan(block))
          .sort((a, b) => (a.block ?? 0) - (b.block ?? 0) || (a.payoutId < b.payoutId ? -1 : 1))
        expect(listed(await transfersOf(books.db, span))).toEqual(
          listed(
            moved.map(({ payoutId, hash, amount }) => ({
              id: payoutId,
              transactionHash: hash,
              amountAtomic: amount.toString(),
            })),
          ),
        )
        const fees = made.filter(({ block }) => inSpan(block))
        expect(listed(await feesOf(books.db, span))).toMatchObject({
          count: fees.length,
          sum_atomic: fees.reduce((sum, { fee }) => sum + fee, 0n).toString(),
        })
        const counts = await countsOf(books.db, { begin: BASE, end: BASE + 86_400 })
        expect(counts.free).toBe(
          rows.filter(({ createdAt }) => createdAt >= BASE && createdAt < BASE + 86_400).length,
        )
      }),
      { numRuns: 30 },
    )
  },
)

const balanceAbi = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ type: 'address' }],
    outputs: [{ type: 'uint256' }],
  },
] as const
