import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type OpenDatabase, transaction } from '../../../activities/store/db.ts'
import {
  countOpen,
  ensureGasWallets,
  findLaneTransaction,
  listUnsettled,
  lockGasWallet,
  type NewLaneTransaction,
  nextNonce,
  recordBroadcast,
  recordNonce,
  storeLaneTransaction,
} from '../../../activities/store/lane.ts'
import { migrateToLatest } from '../../../activities/store/migrate.ts'
import { startPostgres } from '../../support/postgres.ts'

let postgres: Awaited<ReturnType<typeof startPostgres>>
let open: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgres()
  open = createDatabase({ url: postgres.url, applicationName: 'test', poolSize: 20 })
  await migrateToLatest(open.db)
})
afterAll(async () => {
  await open?.close()
  await postgres?.stop()
})

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`

async function newWallet(): Promise<string> {
  const wallet = hex(20)
  await ensureGasWallets(open.db, [wallet])
  return wallet
}

const rowAt = (wallet: string, nonce: bigint, more: Partial<NewLaneTransaction> = {}): NewLaneTransaction => ({
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

async function allocate(wallet: string, more: Partial<NewLaneTransaction> = {}, atLeast = 0n): Promise<bigint> {
  return transaction(open.db, async (tx) => {
    const nonce = await lockGasWallet(tx, wallet, atLeast)
    await storeLaneTransaction(tx, rowAt(wallet, nonce, more))
    return nonce
  })
}

test('parallel allocations on one wallet are dense', async () => {
  const wallet = await newWallet()
  const nonces = await Promise.all(Array.from({ length: 30 }, () => allocate(wallet)))
  expect(nonces.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i))
  expect(await nextNonce(open.db, wallet)).toBe(30n)
  expect((await countOpen(open.db)).get(wallet)).toBe(30)
})

test('the next nonce is the greater of the stored one and the chain’s, and never goes back', async () => {
  const wallet = await newWallet()
  expect(await allocate(wallet, {}, 7n)).toBe(7n)
  expect(await allocate(wallet, {}, 3n)).toBe(8n)
  await storeLaneTransaction(open.db, rowAt(wallet, 2n))
  expect(await nextNonce(open.db, wallet)).toBe(9n)
  await ensureGasWallets(open.db, [wallet])
  expect(await nextNonce(open.db, wallet)).toBe(9n)
})

test('a transaction that is rolled back takes no nonce', async () => {
  const wallet = await newWallet()
  const failing = transaction(open.db, async (tx) => {
    await storeLaneTransaction(tx, rowAt(wallet, await lockGasWallet(tx, wallet)))
    throw new Error('killed')
  })
  await expect(failing).rejects.toThrow('killed')
  expect(await nextNonce(open.db, wallet)).toBe(0n)
})

test('one mined hash supersedes its siblings, and a lost block opens all of them again', async () => {
  const wallet = await newWallet()
  const purpose = hex(8)
  const [low, high] = [rowAt(wallet, 0n, { purpose }), rowAt(wallet, 0n, { purpose, max_fee_per_gas: '113' })]
  for (const row of [low, high]) await storeLaneTransaction(open.db, row)
  expect((await findLaneTransaction(open.db, purpose))?.tx_hash).toBe(high.tx_hash)
  await recordNonce(open.db, wallet, '0', { txHash: low.tx_hash, outcome: 'mined' })
  expect(await findLaneTransaction(open.db, purpose)).toMatchObject({ tx_hash: low.tx_hash, outcome: 'mined' })
  expect(await listUnsettled(open.db, wallet, 1n, 0)).toEqual([])
  expect(await listUnsettled(open.db, wallet, 0n, 0)).toHaveLength(2)
  await recordNonce(open.db, wallet, '0', null)
  expect((await listUnsettled(open.db, wallet, 1n, 0)).map((row) => row.outcome)).toEqual([null, null])
  await recordNonce(open.db, wallet, '0', 'superseded')
  expect(await findLaneTransaction(open.db, purpose)).toBeUndefined()
})

test('only what a node took is ever stuck', async () => {
  const wallet = await newWallet()
  const row = rowAt(wallet, 0n)
  await storeLaneTransaction(open.db, row)
  expect(await listUnsettled(open.db, wallet, 0n, 0)).toMatchObject([{ stuck: false }])
  await recordBroadcast(open.db, row.tx_hash)
  expect(await listUnsettled(open.db, wallet, 0n, 0)).toMatchObject([{ stuck: true }])
  expect(await listUnsettled(open.db, wallet, 0n, 60_000)).toMatchObject([{ stuck: false }])
})
