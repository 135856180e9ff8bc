import { type LocalAccount, parseGwei } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChain } from '../../../activities/chain/client.ts'
import { allocate, createGasWalletQueue } from '../../../activities/chain/gas-wallet-queue.ts'
import { preflight } from '../../../activities/chain/preflight.ts'
import { dollarTokenAbi } from '../../../worker/stack/token.ts'
import { newWallet } from '../../support/chain.ts'
import { startProxy } from '../../support/rpc-proxy.ts'
import { verifies } from '../../verifies.ts'
import { eventually, type Fixture, GAS, startFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.stop())

const isIncluded = (outcome: { kind: string }) => outcome.kind === 'included'

test('fifty parallel submits take dense nonces; each purpose is one transfer', async () => {
  const gasWallets = [fixture.newGasWalletQueue(), fixture.newGasWalletQueue()]
  const to = newWallet().address
  const sent = await Promise.all(
    Array.from({ length: 50 }, () => fixture.authorize({ to, value: 3n })),
  )
  // Each purpose is submitted through both queues at once.
  const hashes = await Promise.all(
    sent.flatMap(({ call }, i) =>
      gasWallets.map((gasWalletQueue) =>
        gasWalletQueue.submit(`dense:${i}`, call).then(({ txHash }) => ({ i, txHash })),
      ),
    ),
  )
  expect(new Set(hashes.map(({ i, txHash }) => `${i}:${txHash}`)).size).toBe(50)
  const balance = await eventually(
    () => fixture.balance(to),
    (held) => held === 150n,
  )
  expect(balance).toBe(150n)
  const rows = await fixture.db
    .selectFrom('gas_wallet_transactions')
    .selectAll()
    .where('purpose', 'like', 'dense:%')
    .execute()
  expect(rows).toHaveLength(50)
  for (const wallet of fixture.gasWallets) {
    const nonces = rows
      .filter((row) => row.gas_wallet === wallet.address)
      .map((row) => Number(row.eoa_nonce))
      .sort((a, b) => a - b)
    expect(nonces).toEqual(nonces.map((_, i) => i))
    expect(nonces.length).toBeGreaterThan(5)
    expect(await fixture.client.getTransactionCount({ address: wallet.address })).toBe(
      nonces.length,
    )
  }
  await gasWallets[0]!.maintain()
  const mined = await fixture.db
    .selectFrom('gas_wallet_transactions')
    .select('outcome')
    .where('purpose', 'like', 'dense:%')
    .execute()
  expect(new Set(mined.map((row) => row.outcome))).toEqual(new Set(['mined']))
})

verifies(
  'execute.stored-before-sent',
  'bytes stored by a process killed before broadcast are sent by the next',
  async () => {
    const { authorization, call } = await fixture.authorize({ value: 7n })
    const { row: stored } = await allocate(fixture.gasWalletSettings(), 'killed', call)
    expect(await fixture.outcome(authorization)).toMatchObject({ kind: 'unknown', code: 'unused' })
    const { txHash } = await fixture.newGasWalletQueue().submit('killed', call)
    expect(txHash).toBe(stored.tx_hash)
    expect(await eventually(() => fixture.outcome(authorization), isIncluded)).toMatchObject({
      kind: 'included',
      transactionHash: stored.tx_hash,
    })
    expect(await fixture.rows('killed')).toHaveLength(1)
    expect(await fixture.balance(authorization.to)).toBe(7n)
  },
)

test('stored bytes that were never sent are sent by maintenance as well', async () => {
  const { authorization, call } = await fixture.authorize()
  await allocate(fixture.gasWalletSettings(), 'maintained', call)
  await fixture.newGasWalletQueue().maintain()
  expect(await eventually(() => fixture.outcome(authorization), isIncluded)).toMatchObject({
    kind: 'included',
  })
})

verifies(
  'execute.submit-errors',
  'a repeat after mining returns the mined hash and sends nothing',
  async () => {
    const { authorization, call } = await fixture.authorize()
    const gasWalletQueue = fixture.newGasWalletQueue()
    const first = await gasWalletQueue.submit('again', call)
    await eventually(() => fixture.outcome(authorization), isIncluded)
    expect(await gasWalletQueue.submit('again', call)).toEqual(first)
    expect(await fixture.rows('again')).toMatchObject([{ outcome: 'mined' }])
  },
)

verifies(
  'execute.fee-bump',
  'a stuck transaction is replaced on its nonce; every hash is kept',
  async () => {
    const wallet = await fixture.fundedWallet()
    const gasWalletQueue = fixture.newGasWalletQueue({
      accounts: [wallet.account],
      feeBumpAfterMs: 50,
    })
    const resume = await fixture.haltMining()
    const { authorization, call } = await fixture.authorize()
    await gasWalletQueue.submit('stuck', call)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await gasWalletQueue.maintain()
    const [first, second, ...more] = await fixture.rows('stuck')
    expect(more).toEqual([])
    expect(second!.eoa_nonce).toBe(first!.eoa_nonce)
    for (const fee of ['max_fee_per_gas', 'max_priority_fee_per_gas'] as const) {
      expect(BigInt(second![fee]) * 1000n).toBeGreaterThanOrEqual(BigInt(first![fee]) * 1125n)
    }
    await fixture.client.mine({ blocks: 1 })
    await resume()
    await gasWalletQueue.maintain()
    const outcome = await fixture.outcome(authorization)
    expect(outcome).toMatchObject({ kind: 'included', transactionHash: second!.tx_hash })
    expect((await fixture.rows('stuck')).map((row) => row.outcome)).toEqual(['superseded', 'mined'])
    expect(await gasWalletQueue.submit('stuck', call)).toEqual({ txHash: second!.tx_hash })
  },
)

test('a transaction that was mined and reverted makes room for a new one', async () => {
  const { authorization, call } = await fixture.authorize()
  const gasWalletQueue = fixture.newGasWalletQueue()
  const token = { address: fixture.asset, abi: dollarTokenAbi } as const
  await fixture.client.waitForTransactionReceipt({
    hash: await fixture.client.writeContract({ ...token, functionName: 'pause' }),
  })
  const first = await gasWalletQueue.submit('reverted', call)
  await fixture.client.waitForTransactionReceipt({ hash: first.txHash })
  await fixture.client.waitForTransactionReceipt({
    hash: await fixture.client.writeContract({ ...token, functionName: 'unpause' }),
  })
  const second = await gasWalletQueue.submit('reverted', call)
  expect(second.txHash).not.toBe(first.txHash)
  expect(await eventually(() => fixture.outcome(authorization), isIncluded)).toMatchObject({
    transactionHash: second.txHash,
  })
  expect((await fixture.rows('reverted'))[0]!.outcome).toBe('reverted')
})

verifies(
  'execute.submit-errors',
  'a foreign transaction on our nonce supersedes ours; ours is sent again',
  async () => {
    const wallet = await fixture.fundedWallet()
    const accounts = [wallet.account]
    const { authorization, call } = await fixture.authorize()
    const { row: stored } = await allocate(fixture.gasWalletSettings({ accounts }), 'foreign', call)
    await sendForeign(wallet, 0)
    const gasWalletQueue = fixture.newGasWalletQueue({ accounts })
    // Only once the foreign transaction is final is ours superseded.
    const { txHash } = await eventually(
      async () => {
        await fixture.client.mine({ blocks: 1 })
        return gasWalletQueue.submit('foreign', call)
      },
      (sent) => sent.txHash !== stored.tx_hash,
    )
    expect(txHash).not.toBe(stored.tx_hash)
    expect(await eventually(() => fixture.outcome(authorization), isIncluded)).toMatchObject({
      transactionHash: txHash,
    })
    expect((await fixture.rows('foreign')).map((row) => [row.eoa_nonce, row.outcome])).toEqual([
      ['0', 'superseded'],
      ['1', null],
    ])
  },
)

test('after foreign transactions on the key the next nonce is the chain’s', async () => {
  const wallet = await fixture.fundedWallet()
  await sendForeign(wallet, 0)
  await sendForeign(wallet, 1)
  const { authorization, call } = await fixture.authorize()
  await fixture.newGasWalletQueue({ accounts: [wallet.account] }).submit('behind-foreign', call)
  expect(await eventually(() => fixture.outcome(authorization), isIncluded)).toMatchObject({
    kind: 'included',
  })
  expect(await fixture.rows('behind-foreign')).toMatchObject([{ eoa_nonce: '2' }])
})

test('a hole left by a foreign transaction that vanished is filled', async () => {
  const wallet = await fixture.fundedWallet()
  const gasWalletQueue = fixture.newGasWalletQueue({ accounts: [wallet.account] })
  const resume = await fixture.haltMining()
  const foreign = await sendForeign(wallet, 0, false)
  const { authorization, call } = await fixture.authorize()
  await gasWalletQueue.submit('over-hole', call)
  await fixture.client.dropTransaction({ hash: foreign })
  await resume()
  await eventually(
    () => fixture.client.getTransactionCount({ address: wallet.address, blockTag: 'pending' }),
    (count) => count === 0,
  )
  expect(await fixture.rows('over-hole')).toMatchObject([{ eoa_nonce: '1' }])
  await gasWalletQueue.maintain()
  expect(await fixture.rows(`hole:${wallet.address}:0`)).toMatchObject([{ eoa_nonce: '0' }])
  expect(await eventually(() => fixture.outcome(authorization), isIncluded)).toMatchObject({
    kind: 'included',
  })
})

verifies(
  'execute.reorg',
  'after the chain lost its last blocks the same bytes are sent again',
  async () => {
    const gasWalletQueue = fixture.newGasWalletQueue()
    const snapshot = await fixture.client.snapshot()
    await haltIdleBlocks()
    const { authorization, call } = await fixture.authorize()
    const { txHash } = await gasWalletQueue.submit('lost-block', call)
    await eventually(() => fixture.outcome(authorization), isIncluded)
    await gasWalletQueue.maintain()
    expect(await fixture.rows('lost-block')).toMatchObject([{ outcome: 'mined' }])
    await fixture.client.revert({ id: snapshot })
    expect(await fixture.outcome(authorization)).toMatchObject({ kind: 'unknown', code: 'unused' })
    await gasWalletQueue.maintain()
    expect(await eventually(() => fixture.outcome(authorization), isIncluded)).toMatchObject({
      transactionHash: txHash,
    })
    expect(await fixture.rows('lost-block')).toHaveLength(1)
  },
)

test('submit alone also heals a lost block', async () => {
  const gasWalletQueue = fixture.newGasWalletQueue()
  const snapshot = await fixture.client.snapshot()
  await haltIdleBlocks()
  const { authorization, call } = await fixture.authorize()
  const { txHash } = await gasWalletQueue.submit('lost-again', call)
  await eventually(() => fixture.outcome(authorization), isIncluded)
  await fixture.client.revert({ id: snapshot })
  expect(await gasWalletQueue.submit('lost-again', call)).toEqual({ txHash })
  expect(await eventually(() => fixture.outcome(authorization), isIncluded)).toMatchObject({
    transactionHash: txHash,
  })
})

/** From now on only a transaction makes a block, so that nothing becomes final meanwhile. */
async function haltIdleBlocks(): Promise<void> {
  await fixture.client.setIntervalMining({ interval: 0 })
  await fixture.client.setAutomine(true)
}

/** A gas-wallet queue whose broadcasts go through `meddle`; the chain answers everything else. */
async function meddledGasWallet(
  account: LocalAccount,
  meddle: Parameters<typeof startProxy>[1],
  feeBumpAfterMs = 30_000,
) {
  const proxy = await startProxy(fixture.rpcUrl, async (method, pass) =>
    method === 'eth_sendRawTransaction' ? meddle(method, pass) : pass(),
  )
  const [view] = createChain({ rpcUrls: [proxy.url], confirmRpcUrls: [], timeoutMs: 2_000 }).views
  return {
    gasWalletQueue: fixture.newGasWalletQueue({ view, accounts: [account], feeBumpAfterMs }),
    close: proxy.close,
  }
}

test('a node that cuts the connection after the bytes leaves one transfer', async () => {
  const wallet = await fixture.fundedWallet()
  const { gasWalletQueue, close } = await meddledGasWallet(wallet.account, async (_, pass) => {
    await pass()
    return 'cut'
  })
  const { authorization, call } = await fixture.authorize()
  const { txHash } = await gasWalletQueue.submit('cut', call)
  expect(await eventually(() => fixture.outcome(authorization), isIncluded)).toMatchObject({
    transactionHash: txHash,
  })
  expect(await gasWalletQueue.submit('cut', call)).toEqual({ txHash })
  expect(await fixture.rows('cut')).toMatchObject([{ outcome: 'mined' }])
  await close()
})

test('a replacement that was stored and not sent is sent by the next round', async () => {
  const wallet = await fixture.fundedWallet()
  const resume = await fixture.haltMining()
  let sent = 0
  const { gasWalletQueue, close } = await meddledGasWallet(
    wallet.account,
    async (_, pass) => (++sent === 2 ? 'cut' : pass()),
    50,
  )
  const { authorization, call } = await fixture.authorize()
  await gasWalletQueue.submit('half-raised', call)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await gasWalletQueue.maintain()
  const [, replacement] = await fixture.rows('half-raised')
  expect(replacement).toMatchObject({ broadcast_at: null })
  await gasWalletQueue.maintain()
  expect(await fixture.rows('half-raised')).toHaveLength(2)
  await fixture.client.mine({ blocks: 1 })
  await resume()
  expect(await fixture.outcome(authorization)).toMatchObject({
    kind: 'included',
    transactionHash: replacement!.tx_hash,
  })
  await close()
})

verifies(
  'gas-wallets.frugal',
  'ten parallel checks and submits share their chain reads',
  async () => {
    const asked: string[] = []
    const proxy = await startProxy(fixture.rpcUrl, (method, pass) => {
      asked.push(method)
      return pass()
    })
    const chain = createChain({ rpcUrls: [proxy.url], confirmRpcUrls: [], timeoutMs: 2_000 })
    const settings = fixture.gasWalletSettings({ view: chain.views[0], cacheMs: 60_000 })
    const gasWalletQueue = createGasWalletQueue(settings)
    const looks = { asset: fixture.asset, gas: settings.gas, transferGas: GAS }
    const transfers = await Promise.all(Array.from({ length: 10 }, () => fixture.authorize()))
    for (const [i, { authorization, signature, call }] of transfers.entries()) {
      expect(await preflight(chain, looks, authorization, signature)).toEqual({ kind: 'ready' })
      await gasWalletQueue.submit(`frugal:${i}`, call)
    }
    const count = (name: string) => asked.filter((method) => method === name).length
    expect({ calls: count('eth_call'), sent: count('eth_sendRawTransaction') }).toEqual({
      calls: 10,
      sent: 10,
    })
    const others = asked.length - 20 - count('eth_chainId')
    expect(others).toBe(2 + 3 * fixture.gasWallets.length)
    expect(count('eth_chainId')).toBeLessThan(20)
    await proxy.close()
  },
)

test('without a chain nothing is stored, and maintenance does not fail', async () => {
  const [view] = createChain({
    rpcUrls: ['http://127.0.0.1:9'],
    confirmRpcUrls: [],
    timeoutMs: 500,
  }).views
  const gasWalletQueue = fixture.newGasWalletQueue({ view })
  await expect(gasWalletQueue.submit('down', (await fixture.authorize()).call)).rejects.toThrow()
  expect(await fixture.rows('down')).toEqual([])
  await gasWalletQueue.maintain()
})

test('without ether the bytes stay stored, and are sent once there is some', async () => {
  const wallet = newWallet()
  const gasWalletQueue = fixture.newGasWalletQueue({ accounts: [wallet.account] })
  const { authorization, call } = await fixture.authorize()
  const { txHash } = await gasWalletQueue.submit('poor', call)
  expect(await fixture.rows('poor')).toMatchObject([{ outcome: null, broadcast_at: null }])
  await fixture.client.setBalance({ address: wallet.address, value: 10n ** 18n })
  await gasWalletQueue.maintain()
  expect(await eventually(() => fixture.outcome(authorization), isIncluded)).toMatchObject({
    transactionHash: txHash,
  })
})

test('a wallet without ether is passed over while another has some', async () => {
  const poor = newWallet()
  const rich = await fixture.fundedWallet()
  const gasWalletQueue = fixture.newGasWalletQueue({ accounts: [poor.account, rich.account] })
  for (let i = 0; i < 4; i++)
    await gasWalletQueue.submit(`rich:${i}`, (await fixture.authorize()).call)
  const rows = await fixture.db
    .selectFrom('gas_wallet_transactions')
    .select('gas_wallet')
    .where('purpose', 'like', 'rich:%')
    .execute()
  expect(rows.map((row) => row.gas_wallet)).toEqual(Array(4).fill(rich.address))
})

test('after kill -9 of the chain what it forgot is sent again', async () => {
  const gasWalletQueue = fixture.newGasWalletQueue()
  const before = await fixture.authorize()
  await gasWalletQueue.submit('before-kill', before.call)
  await fixture.part.kill('SIGKILL')
  await fixture.part.start()
  await fixture.part.waitReady()
  await gasWalletQueue.maintain()
  const { authorization, call } = await fixture.authorize()
  await gasWalletQueue.submit('after-kill', call)
  for (const terms of [before.authorization, authorization]) {
    expect(await eventually(() => fixture.outcome(terms), isIncluded)).toMatchObject({
      kind: 'included',
    })
    expect(await fixture.balance(terms.to)).toBe(5n)
  }
})

async function sendForeign(wallet: ReturnType<typeof newWallet>, nonce: number, mined = true) {
  const fees = { maxFeePerGas: parseGwei('5'), maxPriorityFeePerGas: parseGwei('1') }
  const raw = await wallet.account.signTransaction({
    type: 'eip1559',
    chainId: 8453,
    nonce,
    to: wallet.address,
    value: 1n,
    gas: 21_000n,
    ...fees,
  })
  const hash = await fixture.client.sendRawTransaction({ serializedTransaction: raw })
  if (mined) await fixture.client.waitForTransactionReceipt({ hash })
  return hash
}
