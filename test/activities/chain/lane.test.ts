import { type LocalAccount, parseGwei } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChain } from '../../../activities/chain/client.ts'
import { allocate, createLane } from '../../../activities/chain/lane.ts'
import { preflight } from '../../../activities/chain/preflight.ts'
import { dollarTokenAbi } from '../../../worker/stack/token.ts'
import { newWallet } from '../../support/chain.ts'
import { verifies } from '../../verifies.ts'
import { eventually, GAS, type Rig, startRig } from './rig.ts'
import { startProxy } from './rpc-proxy.ts'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())

const isIncluded = (outcome: { kind: string }) => outcome.kind === 'included'

test('fifty parallel submits from two lanes take dense nonces, and each purpose is one transfer', async () => {
  const lanes = [rig.newLane(), rig.newLane()]
  const to = newWallet().address
  const sent = await Promise.all(Array.from({ length: 50 }, () => rig.authorize({ to, value: 3n })))
  // Each purpose is submitted through both lanes at once.
  const hashes = await Promise.all(
    sent.flatMap(({ call }, i) =>
      lanes.map((lane) => lane.submit(`dense:${i}`, call).then(({ txHash }) => ({ i, txHash }))),
    ),
  )
  expect(new Set(hashes.map(({ i, txHash }) => `${i}:${txHash}`)).size).toBe(50)
  const balance = await eventually(
    () => rig.balance(to),
    (held) => held === 150n,
  )
  expect(balance).toBe(150n)
  const rows = await rig.db.selectFrom('lane_transactions').selectAll().where('purpose', 'like', 'dense:%').execute()
  expect(rows).toHaveLength(50)
  for (const wallet of rig.gasWallets) {
    const nonces = rows
      .filter((row) => row.gas_wallet === wallet.address)
      .map((row) => Number(row.eoa_nonce))
      .sort((a, b) => a - b)
    expect(nonces).toEqual(nonces.map((_, i) => i))
    expect(nonces.length).toBeGreaterThan(5)
    expect(await rig.client.getTransactionCount({ address: wallet.address })).toBe(nonces.length)
  }
  await lanes[0]!.maintain()
  const mined = await rig.db
    .selectFrom('lane_transactions')
    .select('outcome')
    .where('purpose', 'like', 'dense:%')
    .execute()
  expect(new Set(mined.map((row) => row.outcome))).toEqual(new Set(['mined']))
})

verifies(
  'execute.stored-before-sent',
  'a process killed between store and broadcast leaves bytes that the next one sends',
  async () => {
    const { authorization, call } = await rig.authorize({ value: 7n })
    const { row: stored } = await allocate(rig.laneSettings(), 'killed', call)
    expect(await rig.outcome(authorization)).toMatchObject({ kind: 'unknown', absent: true })
    const { txHash } = await rig.newLane().submit('killed', call)
    expect(txHash).toBe(stored.tx_hash)
    expect(await eventually(() => rig.outcome(authorization), isIncluded)).toMatchObject({
      kind: 'included',
      transactionHash: stored.tx_hash,
    })
    expect(await rig.rows('killed')).toHaveLength(1)
    expect(await rig.balance(authorization.to)).toBe(7n)
  },
)

test('stored bytes that were never sent are sent by maintenance as well', async () => {
  const { authorization, call } = await rig.authorize()
  await allocate(rig.laneSettings(), 'maintained', call)
  await rig.newLane().maintain()
  expect(await eventually(() => rig.outcome(authorization), isIncluded)).toMatchObject({ kind: 'included' })
})

verifies(
  'execute.submit-errors',
  'submitting again after it was mined answers the mined hash and sends nothing',
  async () => {
    const { authorization, call } = await rig.authorize()
    const lane = rig.newLane()
    const first = await lane.submit('again', call)
    await eventually(() => rig.outcome(authorization), isIncluded)
    expect(await lane.submit('again', call)).toEqual(first)
    expect(await rig.rows('again')).toMatchObject([{ outcome: 'mined' }])
  },
)

verifies(
  'execute.fee-bump',
  'a stuck transaction is replaced on the same nonce with fees at least an eighth higher, and every hash is kept',
  async () => {
    const wallet = await rig.fundedWallet()
    const lane = rig.newLane({ accounts: [wallet.account], feeBumpAfterMs: 50 })
    const resume = await rig.haltMining()
    const { authorization, call } = await rig.authorize()
    await lane.submit('stuck', call)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await lane.maintain()
    const [first, second, ...more] = await rig.rows('stuck')
    expect(more).toEqual([])
    expect(second!.eoa_nonce).toBe(first!.eoa_nonce)
    for (const fee of ['max_fee_per_gas', 'max_priority_fee_per_gas'] as const) {
      expect(BigInt(second![fee]) * 1000n).toBeGreaterThanOrEqual(BigInt(first![fee]) * 1125n)
    }
    await rig.client.mine({ blocks: 1 })
    await resume()
    await lane.maintain()
    const outcome = await rig.outcome(authorization)
    expect(outcome).toMatchObject({ kind: 'included', transactionHash: second!.tx_hash })
    expect((await rig.rows('stuck')).map((row) => row.outcome)).toEqual(['superseded', 'mined'])
    expect(await lane.submit('stuck', call)).toEqual({ txHash: second!.tx_hash })
  },
)

test('a transaction that was mined and reverted makes room for a new one', async () => {
  const { authorization, call } = await rig.authorize()
  const lane = rig.newLane()
  const token = { address: rig.asset, abi: dollarTokenAbi } as const
  await rig.client.waitForTransactionReceipt({
    hash: await rig.client.writeContract({ ...token, functionName: 'pause' }),
  })
  const first = await lane.submit('reverted', call)
  await rig.client.waitForTransactionReceipt({ hash: first.txHash })
  await rig.client.waitForTransactionReceipt({
    hash: await rig.client.writeContract({ ...token, functionName: 'unpause' }),
  })
  const second = await lane.submit('reverted', call)
  expect(second.txHash).not.toBe(first.txHash)
  expect(await eventually(() => rig.outcome(authorization), isIncluded)).toMatchObject({
    transactionHash: second.txHash,
  })
  expect((await rig.rows('reverted'))[0]!.outcome).toBe('reverted')
})

verifies(
  'execute.submit-errors',
  'a foreign transaction that took the stored nonce supersedes it, and the purpose is sent on another nonce',
  async () => {
    const wallet = await rig.fundedWallet()
    const accounts = [wallet.account]
    const { authorization, call } = await rig.authorize()
    const { row: stored } = await allocate(rig.laneSettings({ accounts }), 'foreign', call)
    await sendForeign(wallet, 0)
    const lane = rig.newLane({ accounts })
    const { txHash } = await lane.submit('foreign', call)
    expect(txHash).not.toBe(stored.tx_hash)
    expect(await eventually(() => rig.outcome(authorization), isIncluded)).toMatchObject({ transactionHash: txHash })
    expect((await rig.rows('foreign')).map((row) => [row.eoa_nonce, row.outcome])).toEqual([
      ['0', 'superseded'],
      ['1', null],
    ])
  },
)

test('after foreign transactions on the key the next nonce is the chain’s', async () => {
  const wallet = await rig.fundedWallet()
  await sendForeign(wallet, 0)
  await sendForeign(wallet, 1)
  const { authorization, call } = await rig.authorize()
  await rig.newLane({ accounts: [wallet.account] }).submit('behind-foreign', call)
  expect(await eventually(() => rig.outcome(authorization), isIncluded)).toMatchObject({ kind: 'included' })
  expect(await rig.rows('behind-foreign')).toMatchObject([{ eoa_nonce: '2' }])
})

test('a hole left by a foreign transaction that vanished is filled', async () => {
  const wallet = await rig.fundedWallet()
  const lane = rig.newLane({ accounts: [wallet.account] })
  const resume = await rig.haltMining()
  const foreign = await sendForeign(wallet, 0, false)
  const { authorization, call } = await rig.authorize()
  await lane.submit('over-hole', call)
  await rig.client.dropTransaction({ hash: foreign })
  await resume()
  await eventually(
    () => rig.client.getTransactionCount({ address: wallet.address, blockTag: 'pending' }),
    (count) => count === 0,
  )
  expect(await rig.rows('over-hole')).toMatchObject([{ eoa_nonce: '1' }])
  await lane.maintain()
  expect(await rig.rows(`hole:${wallet.address}:0`)).toMatchObject([{ eoa_nonce: '0' }])
  expect(await eventually(() => rig.outcome(authorization), isIncluded)).toMatchObject({ kind: 'included' })
})

verifies('execute.reorg', 'after the chain lost its last blocks the same bytes are sent again', async () => {
  const lane = rig.newLane()
  const snapshot = await rig.client.snapshot()
  const { authorization, call } = await rig.authorize()
  const { txHash } = await lane.submit('lost-block', call)
  await eventually(() => rig.outcome(authorization), isIncluded)
  await lane.maintain()
  expect(await rig.rows('lost-block')).toMatchObject([{ outcome: 'mined' }])
  await rig.client.revert({ id: snapshot })
  expect(await rig.outcome(authorization)).toMatchObject({ kind: 'unknown', absent: true })
  await lane.maintain()
  expect(await eventually(() => rig.outcome(authorization), isIncluded)).toMatchObject({ transactionHash: txHash })
  expect(await rig.rows('lost-block')).toHaveLength(1)
})

test('submit alone also heals a lost block', async () => {
  const lane = rig.newLane()
  const snapshot = await rig.client.snapshot()
  const { authorization, call } = await rig.authorize()
  const { txHash } = await lane.submit('lost-again', call)
  await eventually(() => rig.outcome(authorization), isIncluded)
  await rig.client.revert({ id: snapshot })
  expect(await lane.submit('lost-again', call)).toEqual({ txHash })
  expect(await eventually(() => rig.outcome(authorization), isIncluded)).toMatchObject({ transactionHash: txHash })
})

/** A lane whose broadcasts go through `meddle`; everything else is answered by the chain. */
async function meddledLane(account: LocalAccount, meddle: Parameters<typeof startProxy>[1], feeBumpAfterMs = 30_000) {
  const proxy = await startProxy(rig.rpcUrl, async (method, pass) =>
    method === 'eth_sendRawTransaction' ? meddle(method, pass) : pass(),
  )
  const { reader } = createChain({ rpcUrls: [proxy.url], confirmRpcUrls: [], timeoutMs: 2_000 })
  return { lane: rig.newLane({ reader, accounts: [account], feeBumpAfterMs }), close: proxy.close }
}

test('a node that takes the bytes and then cuts the line leaves one transfer and its hash', async () => {
  const wallet = await rig.fundedWallet()
  const { lane, close } = await meddledLane(wallet.account, async (_, pass) => {
    await pass()
    return 'cut'
  })
  const { authorization, call } = await rig.authorize()
  const { txHash } = await lane.submit('cut', call)
  expect(await eventually(() => rig.outcome(authorization), isIncluded)).toMatchObject({ transactionHash: txHash })
  expect(await lane.submit('cut', call)).toEqual({ txHash })
  expect(await rig.rows('cut')).toMatchObject([{ outcome: 'mined' }])
  await close()
})

test('a replacement that was stored and not sent is sent by the next round', async () => {
  const wallet = await rig.fundedWallet()
  const resume = await rig.haltMining()
  let sent = 0
  const { lane, close } = await meddledLane(wallet.account, async (_, pass) => (++sent === 2 ? 'cut' : pass()), 50)
  const { authorization, call } = await rig.authorize()
  await lane.submit('half-raised', call)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await lane.maintain()
  const [, replacement] = await rig.rows('half-raised')
  expect(replacement).toMatchObject({ broadcast_at: null })
  await lane.maintain()
  expect(await rig.rows('half-raised')).toHaveLength(2)
  await rig.client.mine({ blocks: 1 })
  await resume()
  expect(await rig.outcome(authorization)).toMatchObject({ kind: 'included', transactionHash: replacement!.tx_hash })
  await close()
})

verifies(
  'lane.frugal',
  'ten looks and submits ask for ten simulations, ten broadcasts and one reading of all else',
  async () => {
    const asked: string[] = []
    const proxy = await startProxy(rig.rpcUrl, (method, pass) => {
      asked.push(method)
      return pass()
    })
    const chain = createChain({ rpcUrls: [proxy.url], confirmRpcUrls: [], timeoutMs: 2_000 })
    const settings = rig.laneSettings({ reader: chain.reader, cacheMs: 60_000 })
    const lane = createLane(settings)
    const looks = { asset: rig.asset, gas: settings.gas, transferGas: GAS }
    const transfers = await Promise.all(Array.from({ length: 10 }, () => rig.authorize()))
    for (const [i, { authorization, signature, call }] of transfers.entries()) {
      expect(await preflight(chain, looks, authorization, signature)).toEqual({ kind: 'ready' })
      await lane.submit(`frugal:${i}`, call)
    }
    const count = (name: string) => asked.filter((method) => method === name).length
    expect({ calls: count('eth_call'), sent: count('eth_sendRawTransaction') }).toEqual({ calls: 10, sent: 10 })
    expect(asked.length - 20).toBe(2 + 3 * rig.gasWallets.length)
    await proxy.close()
  },
)

test('while the chain is down nothing is stored, and maintenance does not fail', async () => {
  const { reader } = createChain({ rpcUrls: ['http://127.0.0.1:9'], confirmRpcUrls: [], timeoutMs: 500 })
  const lane = rig.newLane({ reader })
  await expect(lane.submit('down', (await rig.authorize()).call)).rejects.toThrow()
  expect(await rig.rows('down')).toEqual([])
  await lane.maintain()
})

test('without ether the bytes stay stored, and are sent once there is some', async () => {
  const wallet = newWallet()
  const lane = rig.newLane({ accounts: [wallet.account] })
  const { authorization, call } = await rig.authorize()
  const { txHash } = await lane.submit('poor', call)
  expect(await rig.rows('poor')).toMatchObject([{ outcome: null, broadcast_at: null }])
  await rig.client.setBalance({ address: wallet.address, value: 10n ** 18n })
  await lane.maintain()
  expect(await eventually(() => rig.outcome(authorization), isIncluded)).toMatchObject({ transactionHash: txHash })
})

test('a wallet without ether is passed over while another has some', async () => {
  const poor = newWallet()
  const rich = await rig.fundedWallet()
  const lane = rig.newLane({ accounts: [poor.account, rich.account] })
  for (let i = 0; i < 4; i++) await lane.submit(`rich:${i}`, (await rig.authorize()).call)
  const rows = await rig.db
    .selectFrom('lane_transactions')
    .select('gas_wallet')
    .where('purpose', 'like', 'rich:%')
    .execute()
  expect(rows.map((row) => row.gas_wallet)).toEqual(Array(4).fill(rich.address))
})

test('after kill -9 of the chain what it forgot is sent again', async () => {
  const lane = rig.newLane()
  const before = await rig.authorize()
  await lane.submit('before-kill', before.call)
  await rig.part.kill('SIGKILL')
  await rig.part.start()
  await rig.part.waitReady()
  await lane.maintain()
  const { authorization, call } = await rig.authorize()
  await lane.submit('after-kill', call)
  for (const terms of [before.authorization, authorization]) {
    expect(await eventually(() => rig.outcome(terms), isIncluded)).toMatchObject({ kind: 'included' })
    expect(await rig.balance(terms.to)).toBe(5n)
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
  const hash = await rig.client.sendRawTransaction({ serializedTransaction: raw })
  if (mined) await rig.client.waitForTransactionReceipt({ hash })
  return hash
}
