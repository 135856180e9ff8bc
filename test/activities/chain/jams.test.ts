import { pino } from 'pino'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChain } from '../../../activities/chain/client.ts'
import { estimateFees } from '../../../activities/chain/fees.ts'
import { allocate } from '../../../activities/chain/lane.ts'
import { readLanes } from '../../../activities/store/lane-health.ts'
import type { TestWallet } from '../../support/chain.ts'
import { verifies } from '../../verifies.ts'
import { eventually, type Rig, startRig } from './rig.ts'
import { startProxy } from './rpc-proxy.ts'

// Each kind of jam on a real chain, and the step that heals it; nobody but the lane's own rounds does anything.
let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())

const isIncluded = (outcome: { kind: string }) => outcome.kind === 'included'
const quick = { feeBumpAfterMs: 50, jamAfterMs: 300 }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const laneOf = async ({ address }: TestWallet) =>
  (await readLanes(rig.db, quick.jamAfterMs)).find(({ wallet }) => wallet === address)

/** Rounds of the lane, as the sweeper makes them, until the transfer is included and no nonce is open. */
async function heal(lane: ReturnType<Rig['newLane']>, wallet: TestWallet, authorization: Sent['authorization']) {
  const outcome = await eventually(async () => {
    await lane.maintain()
    return rig.outcome(authorization)
  }, isIncluded)
  expect(outcome).toMatchObject({ kind: 'included' })
  await lane.maintain()
  expect(await laneOf(wallet)).toMatchObject({ open: 0, jammed: false })
  expect(await rig.balance(authorization.to)).toBe(authorization.value)
}
type Sent = Awaited<ReturnType<Rig['authorize']>>

/** A lane whose broadcasts go through `meddle`, or are lost without one. */
async function laneBehind(wallet: TestWallet, meddle: Parameters<typeof startProxy>[1], more = quick) {
  const proxy = await startProxy(rig.rpcUrl, async (method, pass) =>
    method === 'eth_sendRawTransaction' ? meddle(method, pass) : pass(),
  )
  const { reader } = createChain({ rpcUrls: [proxy.url], confirmRpcUrls: [], timeoutMs: 2_000 })
  return { lane: rig.newLane({ reader, accounts: [wallet.account], ...more }), close: proxy.close }
}

verifies('lane.heals', 'underpriced for the blocks that are made: raised by an eighth until it fits', async () => {
  const wallet = await rig.fundedWallet()
  const lane = rig.newLane({ accounts: [wallet.account], ...quick })
  const resume = await rig.haltMining()
  const { authorization, call } = await rig.authorize()
  await lane.submit('too-cheap', call)
  const [first] = await rig.rows('too-cheap')
  // The next block asks for more than the transaction offers, as after a sudden rise of the base fee.
  const baseFee = (BigInt(first!.max_fee_per_gas) * 13n) / 10n
  await rig.client.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFee })
  await rig.client.mine({ blocks: 1 })
  expect(await rig.outcome(authorization)).toMatchObject({ kind: 'unknown', absent: true })
  await pause(100)
  await lane.maintain()
  await resume()
  await heal(lane, wallet, authorization)
  const rows = await rig.rows('too-cheap')
  expect(rows.length).toBeGreaterThan(1)
  for (const [index, row] of rows.slice(1).entries())
    expect(BigInt(row.max_fee_per_gas) * 1000n).toBeGreaterThanOrEqual(BigInt(rows[index]!.max_fee_per_gas) * 1125n)
  expect(rows.map(({ outcome }) => outcome)).toEqual([...rows.slice(1).map(() => 'superseded'), 'mined'])
})

verifies('lane.heals', 'at the ceiling of fees the same bytes are sent again, until blocks come', async () => {
  const wallet = await rig.fundedWallet()
  const lane = rig.newLane({ accounts: [wallet.account], feeBumpAfterMs: 1, jamAfterMs: 300 })
  const resume = await rig.haltMining()
  const { authorization, call } = await rig.authorize()
  await lane.submit('ceiling', call)
  let rows = 0
  for (;;) {
    await pause(3)
    await lane.maintain()
    const now = (await rig.rows('ceiling')).length
    if (now === rows) break
    rows = now
  }
  const fees = (await rig.rows('ceiling')).map((row) => BigInt(row.max_fee_per_gas))
  const network = await estimateFees(rig.chain.reader)
  expect(rows).toBeGreaterThan(10)
  expect(fees.at(-1)! <= (network.maxFeePerGas + network.maxPriorityFeePerGas) * 20n).toBe(true)
  await pause(300)
  expect(await laneOf(wallet)).toMatchObject({ open: 1, jammed: true })
  await resume()
  await heal(lane, wallet, authorization)
})

verifies('lane.heals', 'a transaction that the node dropped is sent again', async () => {
  const wallet = await rig.fundedWallet()
  const lane = rig.newLane({ accounts: [wallet.account], ...quick, feeBumpAfterMs: 60_000 })
  const resume = await rig.haltMining()
  const { authorization, call } = await rig.authorize()
  const { txHash } = await lane.submit('dropped', call)
  await rig.client.dropTransaction({ hash: txHash })
  await resume()
  await heal(lane, wallet, authorization)
  expect(await rig.rows('dropped')).toMatchObject([{ tx_hash: txHash, outcome: 'mined' }])
})

verifies('lane.heals', 'a foreign transaction took the nonce: superseded, and sent on the next one', async () => {
  const wallet = await rig.fundedWallet()
  const lost = await laneBehind(wallet, async () => 'cut')
  const { authorization, call } = await rig.authorize()
  await lost.lane.submit('taken', call)
  await sendForeign(wallet, 0)
  const lane = rig.newLane({ accounts: [wallet.account], ...quick })
  await lane.maintain()
  expect(await rig.rows('taken')).toMatchObject([{ eoa_nonce: '0', outcome: 'superseded' }])
  await lane.submit('taken', call)
  await heal(lane, wallet, authorization)
  expect(await rig.rows('taken')).toMatchObject([{ outcome: 'superseded' }, { eoa_nonce: '1', outcome: 'mined' }])
  await lost.close()
})

verifies(
  ['lane.heals', 'lane.alarm'],
  'an empty gas wallet: others take its transfers over once it is jammed, and its own nonces go on when it is funded',
  async () => {
    const [empty, rich] = [await rig.fundedWallet(), await rig.fundedWallet()]
    const told: { gasWallet: string; text: string }[] = []
    const log = pino({ level: 'info' }, { write: (line) => void told.push(plain(JSON.parse(line))) })
    // The wallet is emptied between the look at its ether and the broadcast.
    const before = await rig.authorize()
    const { row } = await allocate(rig.laneSettings({ accounts: [empty.account], ...quick }), 'emptied', before.call)
    await rig.client.setBalance({ address: empty.address, value: 0n })

    const lane = rig.newLane({ accounts: [empty.account, rich.account], ...quick, log })
    expect(await lane.submit('emptied', before.call)).toEqual({ txHash: row.tx_hash })
    expect(
      (await rig.newLane({ accounts: [empty.account], ...quick }).submit('other', before.call)).heldUp,
    ).toBeUndefined()
    await pause(quick.jamAfterMs)
    await lane.maintain()
    await lane.maintain()
    expect(told).toEqual([{ gasWallet: empty.address, text: expect.stringContaining('has not moved') }])
    expect(await rig.newLane({ accounts: [empty.account], ...quick }).submit('emptied', before.call)).toEqual({
      txHash: row.tx_hash,
      heldUp: { wallet: empty.address, since: expect.any(Date) },
    })
    const taken = await eventually(
      () => rig.client.mine({ blocks: 1 }).then(() => lane.submit('emptied', before.call)),
      ({ txHash }) => txHash !== row.tx_hash,
    )
    expect(taken.txHash).not.toBe(row.tx_hash)
    expect(taken.heldUp).toBeUndefined()
    expect(await eventually(() => rig.outcome(before.authorization), isIncluded)).toMatchObject({
      transactionHash: taken.txHash,
    })
    expect(await lane.submit('emptied', before.call)).toEqual(taken)

    await rig.client.setBalance({ address: empty.address, value: parseEther('1') })
    await heal(lane, empty, before.authorization)
    expect((await rig.rows('emptied')).map(({ gas_wallet, outcome }) => [gas_wallet, outcome])).toEqual([
      [empty.address, 'reverted'],
      [rich.address, 'mined'],
    ])
    expect(told.slice(1)).toEqual([{ gasWallet: empty.address, text: 'a gas wallet moves again' }])
  },
)

verifies(
  'lane.heals',
  'a nonce that nobody holds after lost state is filled, and what waits above it goes on',
  async () => {
    const wallet = await rig.fundedWallet()
    const settings = rig.laneSettings({ accounts: [wallet.account], ...quick })
    const lane = rig.newLane({ accounts: [wallet.account], ...quick })
    const lost = await rig.authorize()
    await allocate(settings, 'forgotten', lost.call)
    await rig.db.deleteFrom('lane_transactions').where('purpose', '=', 'forgotten').execute()
    const { authorization, call } = await rig.authorize()
    await lane.submit('above-gap', call)
    await heal(lane, wallet, authorization)
    expect(await rig.rows(`hole:${wallet.address}:0`)).toMatchObject([{ outcome: 'mined' }])
    expect(await rig.rows('above-gap')).toMatchObject([{ eoa_nonce: '1', outcome: 'mined' }])
  },
)

verifies('lane.heals', 'wallets whose rows are behind the chain go on from the chain’s nonce', async () => {
  const wallet = await rig.fundedWallet()
  const lane = rig.newLane({ accounts: [wallet.account], ...quick })
  for (let i = 0; i < 3; i++) await lane.submit(`before-restore:${i}`, (await rig.authorize()).call)
  await eventually(
    () => rig.client.getTransactionCount({ address: wallet.address }),
    (count) => count === 3,
  )
  // A restore of Postgres to a point before all of them.
  await rig.db.deleteFrom('lane_transactions').where('gas_wallet', '=', wallet.address).execute()
  await rig.db.deleteFrom('gas_wallets').where('address', '=', wallet.address).execute()
  const { authorization, call } = await rig.authorize()
  const restarted = rig.newLane({ accounts: [wallet.account], ...quick })
  await restarted.submit('after-restore', call)
  await heal(restarted, wallet, authorization)
  expect(await rig.rows('after-restore')).toMatchObject([{ eoa_nonce: '3' }])
})

verifies('lane.heals', 'a node that says "nonce too low" of a pending one is not believed', async () => {
  const wallet = await rig.fundedWallet()
  let lies = 2
  const { lane, close } = await laneBehind(wallet, async (_, pass) =>
    lies-- > 0 ? { error: { code: -32_000, message: 'nonce too low' } } : pass(),
  )
  const { authorization, call } = await rig.authorize()
  const { txHash } = await lane.submit('lied-about', call)
  await heal(lane, wallet, authorization)
  expect(await rig.rows('lied-about')).toMatchObject([{ tx_hash: txHash, eoa_nonce: '0', outcome: 'mined' }])
  await close()
})

verifies('lane.heals', 'a node that calls every replacement underpriced gets higher ones', async () => {
  const wallet = await rig.fundedWallet()
  let refusals = 2
  const { lane, close } = await laneBehind(wallet, async (_, pass) =>
    refusals-- > 0 ? { error: { code: -32_000, message: 'replacement transaction underpriced' } } : pass(),
  )
  const { authorization, call } = await rig.authorize()
  await lane.submit('undercut', call)
  await heal(lane, wallet, authorization)
  expect((await rig.rows('undercut')).length).toBeGreaterThan(1)
  await close()
})

verifies(
  'lane.heals',
  'while the chain makes no blocks nothing is taken over, and all go on when it does',
  async () => {
    const wallets = [await rig.fundedWallet(), await rig.fundedWallet()]
    const lane = rig.newLane({ accounts: wallets.map(({ account }) => account), ...quick, feeBumpAfterMs: 60_000 })
    const resume = await rig.haltMining()
    const { authorization, call } = await rig.authorize()
    const { txHash } = await lane.submit('halted', call)
    await pause(1_500)
    expect(await lane.submit('halted', call)).toMatchObject({ txHash, heldUp: { since: expect.any(Date) } })
    await resume()
    await lane.submit('halted', call)
    await heal(lane, wallets[0]!, authorization)
    expect(await rig.rows('halted')).toMatchObject([{ tx_hash: txHash, outcome: 'mined' }])
  },
)

test('a wallet that is jammed gets no new work while another moves', async () => {
  const [jammed, moving] = [await rig.fundedWallet(), await rig.fundedWallet()]
  const lost = await laneBehind(jammed, async () => 'cut')
  await lost.lane.submit('jams', (await rig.authorize()).call)
  await pause(quick.jamAfterMs)
  const lane = rig.newLane({ accounts: [jammed.account, moving.account], ...quick })
  for (let i = 0; i < 4; i++) await lane.submit(`beside:${i}`, (await rig.authorize()).call)
  const rows = await rig.db.selectFrom('lane_transactions').selectAll().where('purpose', 'like', 'beside:%').execute()
  expect(new Set(rows.map((row) => row.gas_wallet))).toEqual(new Set([moving.address]))
  await lost.close()
})

const plain = ({ gasWallet, msg }: { gasWallet: string; msg: string }) => ({ gasWallet, text: msg })

async function sendForeign(wallet: TestWallet, nonce: number): Promise<void> {
  const fees = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  const call = { to: wallet.address, value: 1n, gas: 21_000n }
  const raw = await wallet.account.signTransaction({ type: 'eip1559', chainId: 8453, nonce, ...call, ...fees })
  await rig.client.waitForTransactionReceipt({
    hash: await rig.client.sendRawTransaction({ serializedTransaction: raw }),
  })
}
