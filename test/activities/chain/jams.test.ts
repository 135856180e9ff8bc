import { pino } from 'pino'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChain } from '../../../activities/chain/client.ts'
import { estimateFees } from '../../../activities/chain/fees.ts'
import { allocate } from '../../../activities/chain/gas-wallet-queue.ts'
import { readGasWallets } from '../../../activities/store/gas-wallets/health.ts'
import type { TestWallet } from '../../support/chain.ts'
import { startProxy } from '../../support/rpc-proxy.ts'
import { verifies } from '../../verifies.ts'
import { eventually, type Fixture, startFixture } from './fixture.ts'

// Each kind of jam on a real chain, and the step that resolves it; only the maintenance of the queue acts.
let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.stop())

const isIncluded = (outcome: { kind: string }) => outcome.kind === 'included'
const quick = { feeBumpAfterMs: 50, jamAfterMs: 300 }
/** For what must happen before the jam, also on a slow machine. */
const patient = { ...quick, jamAfterMs: 5_000 }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const gasWalletOf = async ({ address }: TestWallet) =>
  (await readGasWallets(fixture.db, quick.jamAfterMs)).find(({ wallet }) => wallet === address)

/** Maintenance rounds of the queue, as the sweeper makes them, until the transfer is included and no nonce is open. */
async function heal(
  gasWalletQueue: ReturnType<Fixture['newGasWalletQueue']>,
  wallet: TestWallet,
  authorization: Sent['authorization'],
) {
  const outcome = await eventually(async () => {
    await gasWalletQueue.maintain()
    return fixture.outcome(authorization)
  }, isIncluded)
  expect(outcome).toMatchObject({ kind: 'included' })
  await gasWalletQueue.maintain()
  expect(await gasWalletOf(wallet)).toMatchObject({ open: 0, jammed: false })
  expect(await fixture.balance(authorization.to)).toBe(authorization.value)
}
type Sent = Awaited<ReturnType<Fixture['authorize']>>

/** A gas-wallet queue whose broadcasts go through `meddle`, or are lost without one. */
async function gasWalletBehind(
  wallet: TestWallet,
  meddle: Parameters<typeof startProxy>[1],
  more = quick,
) {
  const proxy = await startProxy(fixture.rpcUrl, async (method, pass) =>
    method === 'eth_sendRawTransaction' ? meddle(method, pass) : pass(),
  )
  const [view] = createChain({ rpcUrls: [proxy.url], confirmRpcUrls: [], timeoutMs: 2_000 }).views
  return {
    gasWalletQueue: fixture.newGasWalletQueue({ view, accounts: [wallet.account], ...more }),
    close: proxy.close,
  }
}

verifies(
  'gas-wallets.heals',
  'an underpriced transaction is raised by an eighth until it fits',
  async () => {
    const wallet = await fixture.fundedWallet()
    const gasWalletQueue = fixture.newGasWalletQueue({ accounts: [wallet.account], ...quick })
    const resume = await fixture.haltMining()
    const { authorization, call } = await fixture.authorize()
    await gasWalletQueue.submit('too-cheap', call)
    const [first] = await fixture.rows('too-cheap')
    // The next block asks for more than the transaction offers, as after a sudden rise of the base fee.
    const baseFee = (BigInt(first!.max_fee_per_gas) * 13n) / 10n
    await fixture.client.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFee })
    await fixture.client.mine({ blocks: 1 })
    expect(await fixture.outcome(authorization)).toMatchObject({ kind: 'unknown', code: 'unused' })
    await pause(100)
    await gasWalletQueue.maintain()
    await resume()
    await heal(gasWalletQueue, wallet, authorization)
    const rows = await fixture.rows('too-cheap')
    expect(rows.length).toBeGreaterThan(1)
    for (const [index, row] of rows.slice(1).entries())
      expect(BigInt(row.max_fee_per_gas) * 1000n).toBeGreaterThanOrEqual(
        BigInt(rows[index]!.max_fee_per_gas) * 1125n,
      )
    expect(rows.map(({ outcome }) => outcome)).toEqual([
      ...rows.slice(1).map(() => 'superseded'),
      'mined',
    ])
  },
)

verifies(
  'gas-wallets.heals',
  'at the fee ceiling the same bytes are sent again until blocks come',
  async () => {
    const wallet = await fixture.fundedWallet()
    const gasWalletQueue = fixture.newGasWalletQueue({
      accounts: [wallet.account],
      feeBumpAfterMs: 1,
      jamAfterMs: 300,
    })
    const resume = await fixture.haltMining()
    const { authorization, call } = await fixture.authorize()
    await gasWalletQueue.submit('ceiling', call)
    let rows = 0
    for (;;) {
      await pause(3)
      await gasWalletQueue.maintain()
      const now = (await fixture.rows('ceiling')).length
      if (now === rows) break
      rows = now
    }
    const fees = (await fixture.rows('ceiling')).map((row) => BigInt(row.max_fee_per_gas))
    const network = await estimateFees(fixture.chain.reader)
    expect(rows).toBeGreaterThan(10)
    expect(fees.at(-1)! <= (network.maxFeePerGas + network.maxPriorityFeePerGas) * 20n).toBe(true)
    await pause(300)
    expect(await gasWalletOf(wallet)).toMatchObject({ open: 1, jammed: true })
    await resume()
    await heal(gasWalletQueue, wallet, authorization)
  },
)

verifies('gas-wallets.heals', 'a transaction that the node dropped is sent again', async () => {
  const wallet = await fixture.fundedWallet()
  const gasWalletQueue = fixture.newGasWalletQueue({
    accounts: [wallet.account],
    ...quick,
    feeBumpAfterMs: 60_000,
  })
  const resume = await fixture.haltMining()
  const { authorization, call } = await fixture.authorize()
  const { txHash } = await gasWalletQueue.submit('dropped', call)
  await fixture.client.dropTransaction({ hash: txHash })
  await resume()
  await heal(gasWalletQueue, wallet, authorization)
  expect(await fixture.rows('dropped')).toMatchObject([{ tx_hash: txHash, outcome: 'mined' }])
})

verifies(
  'gas-wallets.heals',
  'a foreign transaction on the nonce supersedes ours; the next is used',
  async () => {
    const wallet = await fixture.fundedWallet()
    const lost = await gasWalletBehind(wallet, async () => 'cut')
    const { authorization, call } = await fixture.authorize()
    await lost.gasWalletQueue.submit('taken', call)
    await sendForeign(wallet, 0)
    const gasWalletQueue = fixture.newGasWalletQueue({ accounts: [wallet.account], ...quick })
    const taken = await eventually(
      async () => {
        await fixture.client.mine({ blocks: 1 })
        await gasWalletQueue.maintain()
        return fixture.rows('taken')
      },
      ([row]) => row?.outcome !== null,
    )
    expect(taken).toMatchObject([{ eoa_nonce: '0', outcome: 'superseded', final: true }])
    await gasWalletQueue.submit('taken', call)
    await heal(gasWalletQueue, wallet, authorization)
    expect(await fixture.rows('taken')).toMatchObject([
      { outcome: 'superseded' },
      { eoa_nonce: '1', outcome: 'mined' },
    ])
    await lost.close()
  },
)

verifies(
  ['gas-wallets.heals', 'gas-wallets.alarm'],
  'other gas wallets take over from an empty one until it is funded',
  async () => {
    const [empty, rich] = [await fixture.fundedWallet(), await fixture.fundedWallet()]
    const notified: { gasWallet: string; text: string }[] = []
    const log = pino(
      { level: 'info' },
      { write: (line) => void notified.push(plain(JSON.parse(line))) },
    )
    // The wallet is emptied between the look at its ether and the broadcast.
    const before = await fixture.authorize()
    const { row } = await allocate(
      fixture.gasWalletSettings({ accounts: [empty.account], ...patient }),
      'emptied',
      before.call,
    )
    await fixture.client.setBalance({ address: empty.address, value: 0n })

    const gasWalletQueue = fixture.newGasWalletQueue({
      accounts: [empty.account, rich.account],
      ...patient,
      log,
    })
    expect(await gasWalletQueue.submit('emptied', before.call)).toEqual({ txHash: row.tx_hash })
    expect(
      (
        await fixture
          .newGasWalletQueue({ accounts: [empty.account], ...patient })
          .submit('other', before.call)
      ).heldUp,
    ).toBeUndefined()
    await pause(patient.jamAfterMs)
    await gasWalletQueue.maintain()
    await gasWalletQueue.maintain()
    expect(notified).toEqual([
      { gasWallet: empty.address, text: expect.stringContaining('has not moved') },
    ])
    expect(
      await fixture
        .newGasWalletQueue({ accounts: [empty.account], ...patient })
        .submit('emptied', before.call),
    ).toEqual({
      txHash: row.tx_hash,
      heldUp: { wallet: empty.address, since: expect.any(Date) },
    })
    const taken = await eventually(
      () =>
        fixture.client
          .mine({ blocks: 1 })
          .then(() => gasWalletQueue.submit('emptied', before.call)),
      ({ txHash }) => txHash !== row.tx_hash,
    )
    expect(taken.txHash).not.toBe(row.tx_hash)
    expect(taken.heldUp).toBeUndefined()
    expect(await eventually(() => fixture.outcome(before.authorization), isIncluded)).toMatchObject(
      {
        transactionHash: taken.txHash,
      },
    )
    expect(await gasWalletQueue.submit('emptied', before.call)).toEqual(taken)

    await fixture.client.setBalance({ address: empty.address, value: parseEther('1') })
    await heal(gasWalletQueue, empty, before.authorization)
    expect(
      (await fixture.rows('emptied')).map(({ gas_wallet, outcome }) => [gas_wallet, outcome]),
    ).toEqual([
      [empty.address, 'reverted'],
      [rich.address, 'mined'],
    ])
    expect(notified.slice(1)).toEqual([
      { gasWallet: empty.address, text: 'a gas wallet moves again' },
    ])
  },
)

verifies(
  'gas-wallets.heals',
  'a nonce lost with its state is filled, and later ones continue',
  async () => {
    const wallet = await fixture.fundedWallet()
    const settings = fixture.gasWalletSettings({ accounts: [wallet.account], ...quick })
    const gasWalletQueue = fixture.newGasWalletQueue({ accounts: [wallet.account], ...quick })
    const lost = await fixture.authorize()
    await allocate(settings, 'forgotten', lost.call)
    await fixture.db
      .deleteFrom('gas_wallet_transactions')
      .where('purpose', '=', 'forgotten')
      .execute()
    const { authorization, call } = await fixture.authorize()
    await gasWalletQueue.submit('above-gap', call)
    await heal(gasWalletQueue, wallet, authorization)
    expect(await fixture.rows(`hole:${wallet.address}:0`)).toMatchObject([{ outcome: 'mined' }])
    expect(await fixture.rows('above-gap')).toMatchObject([{ eoa_nonce: '1', outcome: 'mined' }])
  },
)

verifies(
  'gas-wallets.heals',
  'wallets whose rows are behind the chain continue at its nonce',
  async () => {
    const wallet = await fixture.fundedWallet()
    const gasWalletQueue = fixture.newGasWalletQueue({ accounts: [wallet.account], ...quick })
    for (let i = 0; i < 3; i++)
      await gasWalletQueue.submit(`before-restore:${i}`, (await fixture.authorize()).call)
    await eventually(
      () => fixture.client.getTransactionCount({ address: wallet.address }),
      (count) => count === 3,
    )
    // A restore of Postgres to a point before all of them.
    await fixture.db
      .deleteFrom('gas_wallet_transactions')
      .where('gas_wallet', '=', wallet.address)
      .execute()
    await fixture.db.deleteFrom('gas_wallets').where('address', '=', wallet.address).execute()
    const { authorization, call } = await fixture.authorize()
    const restarted = fixture.newGasWalletQueue({ accounts: [wallet.account], ...quick })
    await restarted.submit('after-restore', call)
    await heal(restarted, wallet, authorization)
    expect(await fixture.rows('after-restore')).toMatchObject([{ eoa_nonce: '3' }])
  },
)

verifies(
  'gas-wallets.heals',
  'a node that says "nonce too low" of a pending one is not believed',
  async () => {
    const wallet = await fixture.fundedWallet()
    let lies = 2
    const { gasWalletQueue, close } = await gasWalletBehind(wallet, async (_, pass) =>
      lies-- > 0 ? { error: { code: -32_000, message: 'nonce too low' } } : pass(),
    )
    const { authorization, call } = await fixture.authorize()
    const { txHash } = await gasWalletQueue.submit('lied-about', call)
    await heal(gasWalletQueue, wallet, authorization)
    expect(await fixture.rows('lied-about')).toMatchObject([
      { tx_hash: txHash, eoa_nonce: '0', outcome: 'mined' },
    ])
    await close()
  },
)

verifies(
  'gas-wallets.heals',
  'a node that calls every replacement underpriced gets higher ones',
  async () => {
    const wallet = await fixture.fundedWallet()
    let refusals = 2
    const { gasWalletQueue, close } = await gasWalletBehind(wallet, async (_, pass) =>
      refusals-- > 0
        ? { error: { code: -32_000, message: 'replacement transaction underpriced' } }
        : pass(),
    )
    const { authorization, call } = await fixture.authorize()
    await gasWalletQueue.submit('undercut', call)
    await heal(gasWalletQueue, wallet, authorization)
    expect((await fixture.rows('undercut')).length).toBeGreaterThan(1)
    await close()
  },
)

verifies(
  'gas-wallets.heals',
  'without new blocks nothing is taken over; all continue afterwards',
  async () => {
    const wallets = [await fixture.fundedWallet(), await fixture.fundedWallet()]
    const gasWalletQueue = fixture.newGasWalletQueue({
      accounts: wallets.map(({ account }) => account),
      ...quick,
      feeBumpAfterMs: 60_000,
    })
    const resume = await fixture.haltMining()
    const { authorization, call } = await fixture.authorize()
    const { txHash } = await gasWalletQueue.submit('halted', call)
    await pause(1_500)
    expect(await gasWalletQueue.submit('halted', call)).toMatchObject({
      txHash,
      heldUp: { since: expect.any(Date) },
    })
    await resume()
    await gasWalletQueue.submit('halted', call)
    await heal(gasWalletQueue, wallets[0]!, authorization)
    expect(await fixture.rows('halted')).toMatchObject([{ tx_hash: txHash, outcome: 'mined' }])
  },
)

test('a wallet that is jammed gets no new work while another moves', async () => {
  const [jammed, moving] = [await fixture.fundedWallet(), await fixture.fundedWallet()]
  const lost = await gasWalletBehind(jammed, async () => 'cut')
  await lost.gasWalletQueue.submit('jams', (await fixture.authorize()).call)
  await pause(quick.jamAfterMs)
  const gasWalletQueue = fixture.newGasWalletQueue({
    accounts: [jammed.account, moving.account],
    ...quick,
  })
  for (let i = 0; i < 4; i++)
    await gasWalletQueue.submit(`other:${i}`, (await fixture.authorize()).call)
  const rows = await fixture.db
    .selectFrom('gas_wallet_transactions')
    .selectAll()
    .where('purpose', 'like', 'other:%')
    .execute()
  expect(new Set(rows.map((row) => row.gas_wallet))).toEqual(new Set([moving.address]))
  await lost.close()
})

const plain = ({ gasWallet, msg }: { gasWallet: string; msg: string }) => ({ gasWallet, text: msg })

async function sendForeign(wallet: TestWallet, nonce: number): Promise<void> {
  const fees = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  const call = { to: wallet.address, value: 1n, gas: 21_000n }
  const raw = await wallet.account.signTransaction({
    type: 'eip1559',
    chainId: 8453,
    nonce,
    ...call,
    ...fees,
  })
  await fixture.client.waitForTransactionReceipt({
    hash: await fixture.client.sendRawTransaction({ serializedTransaction: raw }),
  })
}
