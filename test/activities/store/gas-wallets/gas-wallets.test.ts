import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ensureGasWallets,
  finalCount,
  findServing,
  listUnsettled,
  lockPlace,
  type NewGasWalletTransaction,
  type NonceEnd,
  nextNonce,
  type Place,
  recordBroadcast,
  recordEnds,
  reopenNonce,
  storeGasWalletTransaction,
} from '../../../../activities/store/gas-wallets/gas-wallets.ts'
import { noteJams, readGasWallets } from '../../../../activities/store/gas-wallets/health.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`

async function newWallet(): Promise<string> {
  const wallet = hex(20)
  await ensureGasWallets(database.db, [wallet])
  return wallet
}

const rowAt = (
  wallet: string,
  nonce: bigint,
  more: Partial<NewGasWalletTransaction> = {},
): NewGasWalletTransaction => ({
  tx_hash: hex(32),
  gas_wallet: wallet,
  eoa_nonce: nonce.toString(),
  purpose: hex(8),
  to_address: hex(20),
  data: '0x',
  gas: '21000',
  max_fee_per_gas: '100',
  max_priority_fee_per_gas: '10',
  raw: '0x02',
  ...more,
})

/** Wallets that can pay for anything, by default on a chain that has mined nothing of theirs. */
const placesOf = (wallets: string[], more: Partial<Place> = {}): Place[] =>
  wallets.map((address) => ({ address, mined: 0n, pooled: 0n, affords: 1_000n, ...more }))

/** Stores a transaction where the queue puts it; undefined when the purpose is served. */
async function allocate(
  places: Place[],
  more: Partial<NewGasWalletTransaction> = {},
  chainTime = nowSeconds(),
) {
  return transaction(database.db, async (tx) => {
    const purpose = more.purpose ?? hex(8)
    const place = await lockPlace(tx, purpose, { places, jamAfterMs: 60_000, chainTime })
    if (place !== undefined)
      await storeGasWalletTransaction(
        tx,
        rowAt(place.address, place.nonce, { purpose, ...more }),
      ).execute()
    return place
  })
}

const nowSeconds = () => BigInt(Math.floor(Date.now() / 1000))
const gasWalletOf = async (wallet: string) =>
  (await readGasWallets(database.db, 60_000)).find(
    (gasWalletQueue) => gasWalletQueue.wallet === wallet,
  )

/** As if the wallet's oldest open nonce had been the same one for this long. */
const standStill = (wallet: string, seconds: number) =>
  sql`update gas_wallets set moved_at = clock_timestamp() - ${seconds} * interval '1 second' where address = ${wallet}`.execute(
    database.db,
  )

test('parallel allocations on one wallet are dense', async () => {
  const wallet = await newWallet()
  const places = await Promise.all(Array.from({ length: 30 }, () => allocate(placesOf([wallet]))))
  expect(places.map((place) => Number(place?.nonce)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 30 }, (_, i) => i),
  )
  expect(await nextNonce(database.db, wallet)).toBe(30n)
  expect(await gasWalletOf(wallet)).toMatchObject({ open: 30, oldestNonce: '0', jammed: false })
})

test('parallel allocations over three wallets are dense and evenly spread', async () => {
  const wallets = [await newWallet(), await newWallet(), await newWallet()]
  const places = await Promise.all(Array.from({ length: 90 }, () => allocate(placesOf(wallets))))
  for (const wallet of wallets) {
    const nonces = places.flatMap((place) =>
      place?.address === wallet ? [Number(place.nonce)] : [],
    )
    expect(nonces.sort((a, b) => a - b)).toEqual(nonces.map((_, i) => i))
    expect(nonces.length).toBeGreaterThan(15)
  }
})

test('the next nonce is the greater of stored and chain, and never falls', async () => {
  const wallet = await newWallet()
  expect(await allocate(placesOf([wallet], { pooled: 7n }))).toMatchObject({ nonce: 7n })
  expect(await allocate(placesOf([wallet], { pooled: 3n }))).toMatchObject({ nonce: 8n })
  await storeGasWalletTransaction(database.db, rowAt(wallet, 2n)).execute()
  expect(await nextNonce(database.db, wallet)).toBe(9n)
  await ensureGasWallets(database.db, [wallet])
  expect(await nextNonce(database.db, wallet)).toBe(9n)
})

test('a transaction that is rolled back takes no nonce', async () => {
  const wallet = await newWallet()
  const failing = transaction(database.db, async (tx) => {
    const place = await lockPlace(tx, 'failing', {
      places: placesOf([wallet]),
      jamAfterMs: 60_000,
      chainTime: 0n,
    })
    await storeGasWalletTransaction(tx, rowAt(wallet, place?.nonce ?? -1n)).execute()
    throw new Error('killed')
  })
  await expect(failing).rejects.toThrow('killed')
  expect(await nextNonce(database.db, wallet)).toBe(0n)
})

verifies(
  'nodes.books',
  'a mined hash supersedes its siblings until a lost block reopens them',
  async () => {
    const wallet = await newWallet()
    const purpose = hex(8)
    const [low, high] = [
      rowAt(wallet, 0n, { purpose }),
      rowAt(wallet, 0n, { purpose, max_fee_per_gas: '113' }),
    ]
    for (const row of [low, high]) await storeGasWalletTransaction(database.db, row).execute()
    const serving = () => findServing(database.db, purpose, 60_000)
    const unsettled = (mined: bigint, finalized = 0n) =>
      listUnsettled(database.db, wallet, { mined, end: 10n, finalized }, 0)
    const end = (more: Partial<NonceEnd> = {}) =>
      recordEnds(database.db, wallet, [
        { nonce: 0n, mined: undefined, block: 7n, final: false, ...more },
      ])
    const mined = { txHash: low.tx_hash, outcome: 'mined' } as const
    expect((await serving())?.tx_hash).toBe(high.tx_hash)
    await end({ mined })
    expect(await serving()).toMatchObject({ tx_hash: low.tx_hash, outcome: 'mined' })
    expect(await unsettled(1n)).toEqual([])
    // Once its block is final it is looked at again.
    expect(await unsettled(1n, 7n)).toHaveLength(2)
    expect(await unsettled(0n)).toHaveLength(2)
    await reopenNonce(database.db, wallet, '0')
    expect((await unsettled(1n)).map((row) => row.outcome)).toEqual([null, null])

    // The nonce is used and no receipt is there: the row waits, and is no jam.
    await end()
    expect(await serving()).toMatchObject({ outcome: null, block_number: '7', heldUpSince: null })
    expect(await gasWalletOf(wallet)).toMatchObject({ open: 0 })
    await end({ mined, final: true })
    expect(await finalCount(database.db, wallet)).toBe(1n)
    // What is final stays, whatever a node says.
    await reopenNonce(database.db, wallet, '0')
    await end({ block: 99n, final: true })
    expect(await serving()).toMatchObject({ tx_hash: low.tx_hash, outcome: 'mined', final: true })
    expect(await unsettled(0n, 99n)).toEqual([])
  },
)

test('a nonce that another transaction used for good serves nothing', async () => {
  const wallet = await newWallet()
  const row = rowAt(wallet, 0n)
  await storeGasWalletTransaction(database.db, row).execute()
  const none = { nonce: 0n, mined: undefined, block: 7n }
  await recordEnds(database.db, wallet, [{ ...none, final: false }])
  expect(await findServing(database.db, row.purpose, 60_000)).toBeDefined()
  await recordEnds(database.db, wallet, [{ ...none, final: true }])
  expect(await findServing(database.db, row.purpose, 60_000)).toBeUndefined()
})

test('only what a node took is ever stuck', async () => {
  const wallet = await newWallet()
  const row = rowAt(wallet, 0n)
  await storeGasWalletTransaction(database.db, row).execute()
  const unsettled = (stuckAfterMs: number) =>
    listUnsettled(database.db, wallet, { mined: 0n, end: 10n, finalized: 0n }, stuckAfterMs)
  expect(await unsettled(0)).toMatchObject([{ stuck: false }])
  await recordBroadcast(database.db, row.tx_hash)
  expect(await unsettled(0)).toMatchObject([{ stuck: true }])
  expect(await unsettled(60_000)).toMatchObject([{ stuck: false }])
})

test('a purpose has one transaction, or two when its wallet is stuck', async () => {
  const [first, second, poor] = [await newWallet(), await newWallet(), await newWallet()]
  const purpose = hex(8)
  await allocate(placesOf([first]), { purpose })
  const all = [...placesOf([first, second]), ...placesOf([poor], { affords: 0n })]
  expect(await allocate(all, { purpose })).toBeUndefined()
  await standStill(first, 62)
  expect(await findServing(database.db, purpose, 60_000)).toMatchObject({
    heldUpSince: expect.any(Date),
  })
  expect(
    await allocate([...placesOf([first]), ...placesOf([poor], { affords: 0n })], { purpose }),
  ).toBeUndefined()
  // The chain made no block for a minute either: nothing is gained elsewhere.
  expect(await allocate(all, { purpose }, nowSeconds() - 5n)).toBeUndefined()
  expect(await allocate(all, { purpose })).toEqual({ address: second, nonce: 0n })
  expect(await findServing(database.db, purpose, 60_000)).toMatchObject({
    gas_wallet: second,
    heldUpSince: null,
  })
  expect(await allocate(all, { purpose })).toBeUndefined()
  await standStill(second, 62)
  expect(await allocate(all, { purpose })).toBeUndefined()
  await recordEnds(database.db, second, [{ nonce: 0n, mined: undefined, block: 7n, final: true }])
  await recordEnds(database.db, first, [
    { nonce: 0n, mined: { txHash: hex(32), outcome: 'mined' }, block: 7n, final: true },
  ])
  expect(await allocate(all, { purpose })).not.toBeUndefined()
})

test('a gas wallet is reported stuck once and moving once', async () => {
  const wallet = await newWallet()
  const row = rowAt(wallet, 0n)
  await standStill(wallet, 999)
  const news = async () =>
    (await Promise.all([1, 2].map(() => noteJams(database.db, [wallet], 60_000)))).flat()
  expect(await news()).toEqual([])
  expect(await gasWalletOf(wallet)).toMatchObject({ open: 0, idleMs: 0, jammed: false })
  await storeGasWalletTransaction(database.db, row).execute()
  expect(await news()).toEqual([])
  await standStill(wallet, 61)
  await storeGasWalletTransaction(database.db, rowAt(wallet, 1n)).execute()
  expect(await news()).toMatchObject([{ wallet, jammed: true }])
  expect(await news()).toEqual([])
  expect(await gasWalletOf(wallet)).toMatchObject({ open: 2, oldestNonce: '0', jammed: true })
  await recordEnds(database.db, wallet, [
    { nonce: 0n, mined: { txHash: row.tx_hash, outcome: 'mined' }, block: 7n, final: true },
  ])
  expect(await news()).toMatchObject([{ wallet, jammed: false }])
  expect(await gasWalletOf(wallet)).toMatchObject({ open: 1, oldestNonce: '1', jammed: false })
})

verifies(
  'gas-wallets.laws',
  'the chosen wallet can pay, then moves, then has the fewest open nonces',
  async () => {
    const gasWalletQueue = fc.record({
      given: fc.nat({ max: 4 }),
      affords: fc.nat({ max: 5 }),
      still: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(gasWalletQueue, { minLength: 1, maxLength: 4 }),
        async (gasWallets) => {
          const places: (Place & { poor: boolean; jammed: boolean; load: number })[] = []
          for (const { given, affords, still } of gasWallets) {
            const address = await newWallet()
            for (let nonce = 0; nonce < given; nonce++)
              await storeGasWalletTransaction(database.db, rowAt(address, BigInt(nonce))).execute()
            if (still) await standStill(address, 61)
            const facts = { poor: given >= affords, jammed: still && given > 0, load: given }
            places.push({ address, mined: 0n, pooled: 0n, affords: BigInt(affords), ...facts })
          }
          const rank = ({ poor, jammed, load }: (typeof places)[number]) =>
            Number(poor) * 100 + Number(jammed) * 10 + load
          const chosen = await allocate(places)
          const place = places.find(({ address }) => address === chosen?.address)
          expect(place && rank(place)).toBe(Math.min(...places.map(rank)))
          expect(chosen).toMatchObject({ nonce: BigInt(place?.load ?? -1) })
        },
      ),
      { numRuns: 40 },
    )
  },
)
