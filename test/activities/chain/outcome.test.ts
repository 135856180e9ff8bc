import { parseSignature } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TokenAuthorization, tokenDomain } from '../../../activities/chain/authorization.ts'
import { createChain } from '../../../activities/chain/client.ts'
import { findOutcome } from '../../../activities/chain/outcome.ts'
import { tokenAbi } from '../../../activities/chain/token.ts'
import { newWallet } from '../../support/chain.ts'
import { startProxy } from '../../support/rpc-proxy.ts'
import { verifies } from '../../verifies.ts'
import { runBatch } from './batch.ts'
import { eventually, type Fixture, randomNonce, startFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.stop())

/** Anyone may send an authorization; here the token's owner does, who is a stranger to the rail. */
async function broadcastByStranger(call: { to: `0x${string}`; data: `0x${string}` }) {
  const hash = await fixture.client.sendTransaction(call)
  return fixture.client.waitForTransactionReceipt({ hash })
}

verifies(
  'execute.confirmed-by-logs',
  'an authorization broadcast by a third party becomes included and final',
  async () => {
    const { authorization, call } = await fixture.authorize()
    const receipt = await broadcastByStranger(call)
    const outcome = await fixture.outcome(authorization)
    const { timestamp } = await fixture.client.getBlock({ blockHash: receipt.blockHash })
    expect(outcome).toMatchObject({
      kind: 'included',
      transactionHash: receipt.transactionHash,
      blockNumber: receipt.blockNumber,
      blockHash: receipt.blockHash,
      blockTime: timestamp,
    })
    await fixture.client.mine({ blocks: 3 })
    expect(await fixture.outcome(authorization)).toMatchObject({
      kind: 'included',
      finalized: true,
    })
  },
)

test('fewer confirmations than asked for are unknown', async () => {
  const { authorization, call } = await fixture.authorize()
  await broadcastByStranger(call)
  expect(await fixture.outcome(authorization, 50)).toMatchObject({ kind: 'unknown', code: 'open' })
})

test('an unused authorization that is still valid is unknown and absent', async () => {
  const { authorization } = await fixture.authorize()
  expect(await fixture.outcome(authorization)).toMatchObject({ kind: 'unknown', code: 'unused' })
})

test('an expired authorization is dead only after a finalized later block', async () => {
  const resume = await fixture.haltMining()
  const { timestamp } = await fixture.client.getBlock()
  const { authorization } = await fixture.authorize({ validBefore: timestamp + 10n })
  await fixture.client.setNextBlockTimestamp({ timestamp: timestamp + 10n })
  await fixture.client.mine({ blocks: 1 })
  expect(await fixture.outcome(authorization)).toMatchObject({ kind: 'unknown' })
  await fixture.client.mine({ blocks: 1, interval: 1 })
  expect(await fixture.outcome(authorization)).toMatchObject({ kind: 'unknown' })
  await fixture.client.mine({ blocks: 1, interval: 1 })
  const finalized = await fixture.client.getBlock({ blockTag: 'finalized' })
  expect(finalized.timestamp).toBeGreaterThanOrEqual(timestamp + 10n)
  const { number, hash } = finalized
  expect(await fixture.outcome(authorization)).toEqual({
    kind: 'dead',
    reason: 'expired',
    finalizedBlock: { number, hash, timestamp: finalized.timestamp },
  })
  await resume()
})

test('an authorization used in its last second is included when read late', async () => {
  const { timestamp } = await fixture.client.getBlock()
  const { authorization, call } = await fixture.authorize({ validBefore: timestamp + 20n })
  await broadcastByStranger(call)
  await fixture.client.setNextBlockTimestamp({ timestamp: timestamp + 60n })
  await fixture.client.mine({ blocks: 4 })
  expect(await fixture.outcome(authorization)).toMatchObject({ kind: 'included', finalized: true })
})

test('a canceled authorization is dead once the block is final', async () => {
  const resume = await fixture.haltMining()
  const { authorization } = await fixture.authorize()
  const { from, nonce } = authorization
  const types = {
    CancelAuthorization: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
  } as const
  const domain = tokenDomain(fixture.asset)
  const signature = await fixture.payoutWallet.account.signTypedData({
    domain,
    types,
    primaryType: 'CancelAuthorization',
    message: { authorizer: from, nonce },
  })
  const { r, s, v } = parseSignature(signature)
  const args = [from, nonce, Number(v), r, s] as const
  await fixture.client.writeContract({
    address: fixture.asset,
    abi: tokenAbi,
    functionName: 'cancelAuthorization',
    args,
  })
  await fixture.client.mine({ blocks: 1 })
  expect(await fixture.outcome(authorization)).toMatchObject({ kind: 'unknown', code: 'open' })
  await fixture.client.mine({ blocks: 3 })
  const { number, hash, timestamp } = await fixture.client.getBlock({ blockTag: 'finalized' })
  expect(await fixture.outcome(authorization)).toEqual({
    kind: 'dead',
    reason: 'canceled',
    finalizedBlock: { number, hash, timestamp },
  })
  await resume()
})

test('a nonce used with other terms is a conflict that names the transaction', async () => {
  const { authorization } = await fixture.authorize()
  const other = await fixture.authorize({
    nonce: authorization.nonce,
    value: 4n,
    to: authorization.to,
  })
  const { transactionHash } = await broadcastByStranger(other.call)
  expect(await fixture.outcome(authorization)).toMatchObject({ kind: 'conflict', transactionHash })
  expect(await fixture.outcome(other.authorization)).toMatchObject({
    kind: 'included',
    transactionHash,
  })
})

verifies(
  'execute.confirmed-by-logs',
  'a batch with our nonce spent and another payment to us is a conflict',
  async () => {
    const shop = newWallet().address
    const first = await fixture.authorize({ to: shop, value: 9n })
    const elsewhere = await fixture.authorize({
      to: newWallet().address,
      value: 9n,
      nonce: first.authorization.nonce,
    })
    const second = await fixture.authorize({ to: shop, value: 9n })
    await runBatch(fixture.client, fixture.asset, [elsewhere.call.data, second.call.data])
    expect(await fixture.balance(shop)).toBe(9n)
    expect(await fixture.outcome(second.authorization)).toMatchObject({ kind: 'included' })
    expect(await fixture.outcome(first.authorization)).toMatchObject({ kind: 'conflict' })
  },
)

test('a removed block makes a transfer absent; sent again it is included', async () => {
  const snapshot = await fixture.client.snapshot()
  const { authorization, call } = await fixture.authorize()
  await broadcastByStranger(call)
  const before = await fixture.outcome(authorization)
  expect(before.kind).toBe('included')
  await fixture.client.revert({ id: snapshot })
  expect(await fixture.outcome(authorization)).toMatchObject({ kind: 'unknown', code: 'unused' })
  await fixture.client.mine({ blocks: 1 })
  await broadcastByStranger(call)
  const after = await fixture.outcome(authorization)
  expect(after.kind).toBe('included')
  expect(after).not.toMatchObject({ blockHash: (before as { blockHash: string }).blockHash })
})

const termsOf = (authorization: TokenAuthorization) => ({
  asset: fixture.asset,
  ...authorization,
  fromBlock: 0n,
})

test('a chain that does not answer is unknown and never dead', async () => {
  const { timestamp } = await fixture.client.getBlock()
  const { authorization } = await fixture.authorize({ validBefore: timestamp - 100n })
  const down = createChain({ rpcUrls: ['http://127.0.0.1:9'], confirmRpcUrls: [], timeoutMs: 500 })
  expect(await findOutcome(down, termsOf(authorization), { confirmations: 1 })).toMatchObject({
    kind: 'unknown',
    code: 'unreachable',
  })
  expect(await down.isUp()).toBe(false)
  await expect(down.head()).rejects.toMatchObject({ refusal: { code: 'unavailable' } })
})

test('an url that is down is passed over for the next one', async () => {
  const chain = createChain({
    rpcUrls: ['http://127.0.0.1:9', fixture.rpcUrl],
    confirmRpcUrls: [],
    timeoutMs: 2_000,
  })
  expect(await chain.isUp()).toBe(true)
  expect(await chain.head()).toBeGreaterThan(0n)
  expect(await chain.finalizedTime()).toBeGreaterThan(1_700_000_000n)
})

test('a second node confirms or, when down or lying, leaves it unknown', async () => {
  const { authorization, call } = await fixture.authorize()
  await broadcastByStranger(call)
  const ask = (confirmUrl: string) => {
    const chain = createChain({
      rpcUrls: [fixture.rpcUrl],
      confirmRpcUrls: [confirmUrl],
      timeoutMs: 1_000,
    })
    return findOutcome(chain, termsOf(authorization), { confirmations: 1 })
  }
  expect(await ask(fixture.rpcUrl)).toMatchObject({ kind: 'included' })
  expect(await ask('http://127.0.0.1:9')).toMatchObject({ kind: 'unknown', code: 'unreachable' })
  const liar = await startLiar()
  expect(await ask(liar.url)).toMatchObject({ kind: 'unknown' })
  await liar.close()
})

test('a claim of the first node that the second denies is not believed', async () => {
  const { authorization } = await fixture.authorize({ nonce: randomNonce() })
  const liar = await startLiar()
  const chain = createChain({
    rpcUrls: [liar.url],
    confirmRpcUrls: [fixture.rpcUrl],
    timeoutMs: 1_000,
  })
  expect((await findOutcome(chain, termsOf(authorization), { confirmations: 1 })).kind).toBe(
    'unknown',
  )
  await liar.close()
})

/** The real chain, except that it says the opposite about every authorization. */
const startLiar = () =>
  startProxy(fixture.rpcUrl, async (method, pass) => {
    const answer = await pass()
    if (method === 'eth_call')
      answer.result = `0x${'0'.repeat(63)}${String(answer.result).endsWith('1') ? 0 : 1}`
    return answer
  })

/** The rig's chain behind a wire that counts the questions. */
async function countedChain(pollMs: number) {
  const asked: string[] = []
  const proxy = await startProxy(fixture.rpcUrl, (method, pass) => {
    // How often the chain's id is asked depends on the connections.
    if (method !== 'eth_chainId') asked.push(method)
    return pass()
  })
  const chain = createChain({ rpcUrls: [proxy.url], confirmRpcUrls: [], timeoutMs: 5_000, pollMs })
  return { chain, asked, close: proxy.close }
}

verifies(
  'confirm.frugal',
  'a hundred waiting transfers share block reads until new blocks come',
  async () => {
    const resume = await fixture.haltMining()
    const { chain, asked, close } = await countedChain(200)
    const waiting = await Promise.all(Array.from({ length: 100 }, () => fixture.authorize()))
    const look = () =>
      Promise.all(
        waiting.map(({ authorization }) =>
          findOutcome(
            chain,
            { asset: fixture.asset, ...authorization, fromBlock: 0n },
            { confirmations: 1 },
          ),
        ),
      )
    for (const outcome of await look())
      expect(outcome).toMatchObject({ kind: 'unknown', code: 'unused' })
    expect(asked.filter((method) => method === 'eth_call')).toHaveLength(100)
    expect(asked.length - 100).toBeLessThanOrEqual(4)
    asked.length = 0
    await Promise.all(waiting.map(() => chain.news()))
    expect(asked.length).toBeLessThanOrEqual(8)
    asked.length = 0
    await fixture.client.mine({ blocks: 1 })
    await Promise.all(waiting.map(() => chain.news()))
    expect(asked.length).toBeLessThanOrEqual(4)
    await close()
    await resume()
  },
)

verifies(
  'confirm.frugal',
  'an included transfer costs one block read, and a lost block is noticed',
  async () => {
    const snapshot = await fixture.client.snapshot()
    const resume = await fixture.haltMining()
    const { authorization, call } = await fixture.authorize()
    const sent = broadcastByStranger(call)
    await eventually(
      () => fixture.client.getTxpoolStatus(),
      ({ pending }) => pending > 0,
    )
    await fixture.client.mine({ blocks: 1 })
    await sent
    const { chain, asked, close } = await countedChain(20)
    const terms = { asset: fixture.asset, ...authorization, fromBlock: 0n }
    const first = await findOutcome(chain, terms, { confirmations: 1 })
    if (first.kind !== 'included' || first.finalized) throw new Error(`it is ${first.kind}`)
    const seenIn = { number: first.blockNumber, hash: first.blockHash }
    asked.length = 0
    const again = await Promise.all(
      Array.from({ length: 50 }, () =>
        findOutcome(chain, { ...terms, seenIn }, { confirmations: 1 }),
      ),
    )
    for (const outcome of again) expect(outcome).toMatchObject({ kind: 'unknown', code: 'open' })
    expect(asked.length).toBeLessThanOrEqual(6)

    await fixture.client.mine({ blocks: 3 })
    expect(await findOutcome(chain, { ...terms, seenIn }, { confirmations: 1 })).toMatchObject({
      finalized: true,
    })
    await fixture.client.revert({ id: snapshot })
    await fixture.client.mine({ blocks: 1 })
    expect(await findOutcome(chain, { ...terms, seenIn }, { confirmations: 1 })).toMatchObject({
      code: 'unused',
    })
    await close()
    await resume()
  },
)
