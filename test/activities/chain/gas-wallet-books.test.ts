import { afterAll, beforeAll, expect } from 'vitest'
import { createChain } from '../../../activities/chain/client.ts'
import { readFees } from '../../../activities/chain/fees.ts'
import { readGasWallet } from '../../../activities/store/reconciliation/findings.ts'
import { startChain } from '../../support/chain.ts'
import { chainId, lacks, nullReceipts } from '../../support/node-faults.ts'
import { type Meddle, startProxy } from '../../support/rpc-proxy.ts'
import { verifies } from '../../verifies.ts'
import { eventually, type Fixture, startFixture } from './fixture.ts'

// The books of the gas wallets behind nodes that lose receipts, and behind nodes of another chain.
let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.stop())

/** A queue of one gas wallet behind a node whose fault and chain can be changed. */
async function startQueue() {
  const wallet = await fixture.fundedWallet()
  let target = fixture.rpcUrl
  let meddle: Meddle = async (_, pass) => pass()
  const proxy = await startProxy(
    () => target,
    (...question) => meddle(...question),
  )
  const [view] = createChain({ rpcUrls: [proxy.url], confirmRpcUrls: [], timeoutMs: 4_000 }).views
  return {
    wallet,
    queue: fixture.newGasWalletQueue({ view, accounts: [wallet.account] }),
    close: proxy.close,
    fail: (fault: Meddle) => {
      meddle = fault
    },
    mend: () => {
      meddle = async (_, pass) => pass()
      target = fixture.rpcUrl
    },
    point: (url: string) => {
      target = url
    },
    rows: () =>
      fixture.db
        .selectFrom('gas_wallet_transactions')
        .selectAll()
        .where('gas_wallet', '=', wallet.address)
        .orderBy('eoa_nonce')
        .execute(),
  }
}

for (const times of [1, 2, 4, Number.POSITIVE_INFINITY])
  verifies(
    'nodes.books',
    `a receipt that is missing ${times} times supersedes nothing`,
    async () => {
      const node = await startQueue()
      await fixture.client.setIntervalMining({ interval: 0 })
      await fixture.client.setAutomine(true)
      node.fail(nullReceipts(times))
      const { call } = await fixture.authorize()
      const { txHash } = await node.queue.submit(`hidden:${times}`, call)
      await eventually(
        () => fixture.client.getTransactionCount({ address: node.wallet.address }),
        (count) => count === 1,
      )
      for (let round = 1; round <= 6; round++) {
        await node.queue.maintain()
        const [row] = await node.rows()
        expect(row?.outcome).not.toBe('superseded')
        // Neither open nor a stranger's while it waits.
        expect(await readGasWallet(fixture.db, node.wallet.address, 1n)).toMatchObject({
          unsettled: [],
          foreign: [],
        })
        expect(await node.queue.submit(`hidden:${times}`, call)).toMatchObject({ txHash })
      }
      node.mend()
      const rows = await eventually(
        async () => {
          await fixture.client.mine({ blocks: 1 })
          await node.queue.maintain()
          return node.rows()
        },
        ([row]) => row?.final === true,
      )
      expect(rows).toMatchObject([{ tx_hash: txHash, outcome: 'mined', final: true }])
      await node.close()
    },
  )

const strangers: Record<string, Meddle> = {
  'another chain id': chainId(31337),
  'the same id and no history': async (_, pass) => pass(),
}
for (const [name, fault] of Object.entries(strangers))
  verifies('nodes.books', `a chain with ${name} behind the RPC changes no row`, async () => {
    const node = await startQueue()
    for (let at = 0; at < 3; at++)
      await node.queue.submit(`before:${name}:${at}`, (await fixture.authorize()).call)
    const before = await eventually(
      async () => {
        await fixture.client.mine({ blocks: 1 })
        await node.queue.maintain()
        return node.rows()
      },
      (rows) => rows.every(({ final }) => final),
    )
    expect(before.map(({ outcome }) => outcome)).toEqual(['mined', 'mined', 'mined'])
    const other = await startChain()
    await other.client.mine({ blocks: 10 })
    node.point(other.rpcUrl)
    node.fail(fault)
    for (let round = 1; round <= 5; round++) await node.queue.maintain()
    expect(await node.rows()).toEqual(before)
    expect(await other.client.getTransactionCount({ address: node.wallet.address })).toBe(0)
    node.mend()
    const { authorization, call } = await fixture.authorize()
    await eventually(
      () => node.queue.submit(`after:${name}`, call).catch(() => undefined),
      (sent) => sent !== undefined,
    )
    const included = await eventually(
      async () => {
        await node.queue.maintain()
        return fixture.outcome(authorization)
      },
      ({ kind }) => kind === 'included',
    )
    expect(included).toMatchObject({ kind: 'included' })
    expect((await node.rows()).slice(0, 3)).toEqual(before)
    await node.close()
    await other.stop()
  })

for (const missing of [
  ['eth_maxPriorityFeePerGas'],
  ['eth_maxPriorityFeePerGas', 'eth_feeHistory'],
])
  verifies(
    'nodes.fees',
    `a transfer is paid by a node without ${missing.join(' and ')}`,
    async () => {
      const node = await startQueue()
      node.fail(lacks(...missing))
      const { authorization, call } = await fixture.authorize()
      await node.queue.submit(`fees:${missing.length}`, call)
      const included = await eventually(
        () => fixture.outcome(authorization),
        ({ kind }) => kind === 'included',
      )
      expect(included).toMatchObject({ kind: 'included' })
      const proxy = await startProxy(fixture.rpcUrl, lacks(...missing))
      const { fees } = await readFees(
        createChain({ rpcUrls: [proxy.url], confirmRpcUrls: [], timeoutMs: 4_000 }).reader,
      )
      expect(fees.maxPriorityFeePerGas).toBeGreaterThan(0n)
      expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(fees.maxPriorityFeePerGas)
      await proxy.close()
      await node.close()
    },
  )
