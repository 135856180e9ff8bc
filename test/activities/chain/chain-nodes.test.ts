import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeNode } from '../../../activities/chain/chain-nodes.ts'
import { createChain } from '../../../activities/chain/client.ts'
import { openLedger } from '../../../activities/chain/ledger.ts'
import { findOutcome, type OutcomeTerms } from '../../../activities/chain/outcome.ts'
import { findChainFaults } from '../../../activities/chain/start-checks.ts'
import { startChain, type TestChain } from '../../support/chain.ts'
import {
  chainId,
  cut,
  deniesUse,
  garbage,
  garbageResults,
  hangs,
  hidesLogs,
  html,
  lacks,
  nullReceipts,
  rangeLimit,
  rangeRefusals,
  staleHead,
  tooManyRequests,
} from '../../support/node-faults.ts'
import { type Meddle, startProxy } from '../../support/rpc-proxy.ts'
import { verifies } from '../../verifies.ts'
import { eventually, type Fixture, startFixture } from './fixture.ts'

// A chain older than the longest range of logs, behind nodes with every fault that real ones have.
let fixture: Fixture
let paid: { terms: OutcomeTerms; hash: `0x${string}` }
beforeAll(async () => {
  fixture = await startFixture()
  for (let mined = 0; mined < 2_100; mined += 100) await fixture.client.mine({ blocks: 100 })
  paid = await pay()
  await fixture.client.mine({ blocks: 5 })
})
afterAll(() => fixture?.stop())

/** A transfer that a stranger sent, looked for from 2,000 blocks before it. */
async function pay() {
  const { authorization, call } = await fixture.authorize()
  const hash = await fixture.client.sendTransaction(call)
  const { blockNumber } = await fixture.client.waitForTransactionReceipt({ hash })
  return {
    terms: { asset: fixture.asset, ...authorization, fromBlock: blockNumber - 2_000n },
    hash,
  }
}

async function behind(meddle: Meddle, target: string | (() => string) = fixture.rpcUrl) {
  const asked: string[] = []
  const proxy = await startProxy(target, (method, pass, params) => {
    asked.push(method)
    return meddle(method, pass, params)
  })
  return { ...proxy, asked, [Symbol.asyncDispose]: proxy.close }
}

const chainOf = (rpcUrls: string[], confirmRpcUrls: string[] = []) =>
  createChain({ rpcUrls, confirmRpcUrls, timeoutMs: 4_000 })
const look = (chain: ReturnType<typeof createChain>, terms = paid.terms) =>
  findOutcome(chain, terms, { confirmations: 1 })

for (const [provider, refusal] of Object.entries(rangeRefusals))
  verifies(
    'nodes.log-ranges',
    `a node that allows 10 blocks of logs confirms: ${provider}`,
    async () => {
      await using node = await behind(rangeLimit(10, refusal))
      const chain = chainOf([node.url])
      expect(await look(chain)).toMatchObject({ kind: 'included', finalized: true })
      expect(chain.views[0].logRange()).toBeLessThanOrEqual(10n)
      expect(chain.views[0].logRange()).toBeGreaterThanOrEqual(5n)
      // Known once, the limit is kept to: the place of the event is found by the state of the nonce.
      node.asked.length = 0
      expect(await look(chain)).toMatchObject({ kind: 'included', finalized: true })
      expect(node.asked.filter((method) => method === 'eth_getLogs').length).toBeLessThan(10)
      expect(node.asked.length).toBeLessThan(40)
    },
  )

verifies(
  'nodes.log-ranges',
  'a long range of transfers is whole behind a small limit',
  async () => {
    await using node = await behind(rangeLimit(10))
    const { number } = await fixture.client.getBlock()
    const read = (url: string) =>
      openLedger(chainOf([url]).views[0], fixture.asset).transfers(
        [fixture.payoutWallet.address],
        'out',
        { from: number - 300n, to: number },
      )
    const whole = await read(fixture.rpcUrl)
    expect(whole.length).toBeGreaterThan(0)
    expect(await read(node.url)).toEqual(whole)
  },
)

verifies(
  'nodes.receipt-first',
  'the receipt of the stored hash confirms without a log',
  async () => {
    await using node = await behind(hidesLogs)
    const chain = chainOf([node.url])
    expect(await look(chain, { ...paid.terms, transactionHash: paid.hash })).toMatchObject({
      kind: 'included',
      transactionHash: paid.hash,
      finalized: true,
    })
    expect(node.asked).not.toContain('eth_getLogs')
  },
)

verifies('nodes.receipt-first', 'a missing receipt proves nothing: the logs are read', async () => {
  const strange = await pay()
  const own = { ...paid.terms, transactionHash: strange.hash }
  expect(await look(fixture.chain, own)).toMatchObject({
    kind: 'included',
    transactionHash: paid.hash,
  })
  await using node = await behind(nullReceipts())
  const chain = chainOf([node.url])
  expect(await look(chain, { ...paid.terms, transactionHash: paid.hash })).toMatchObject({
    kind: 'unknown',
    code: 'open',
  })
})

/** What a node may do without a word about the authorization; with these alone nothing is proven. */
const faults: Record<string, () => Promise<Meddle>> = {
  'a limit of one block of logs': async () => rangeLimit(1),
  'no receipts': async () => nullReceipts(),
  '429 to everything': async () => tooManyRequests,
  'a page of HTML': async () => html,
  'JSON of no form': async () => garbage,
  'results of no form': async () => garbageResults,
  'no answer': async () => hangs,
  'a cut connection': async () => cut,
  'a head that stands still': async () => staleHead(paid.terms.fromBlock + 1_000n),
  'another chain id': async () => chainId(84532),
  'no eth_getLogs': async () => lacks('eth_getLogs'),
  'no finalized block': async () => lacks('eth_getBlockByNumber'),
  'logs that hide the transfer': async () => hidesLogs,
  'a nonce that is said to be unused': async () => deniesUse,
}
const harmless = ['a limit of one block of logs']
/** Only a second opinion finds out. */
const lies = ['logs that hide the transfer', 'a nonce that is said to be unused']

for (const [fault, make] of Object.entries(faults)) {
  if (!lies.includes(fault))
    verifies('nodes.failover', `the next node answers after one with ${fault}`, async () => {
      await using node = await behind(await make())
      const chain = chainOf([node.url, fixture.rpcUrl])
      const outcome = await eventually(
        () => look(chain),
        ({ kind }) => kind === 'included',
      )
      expect(outcome).toMatchObject({ kind: 'included', transactionHash: paid.hash })
    })
  verifies(
    'nodes.second-opinion',
    `a second opinion with ${fault} proves nothing wrong`,
    async () => {
      let meddle: Meddle | undefined = await make()
      await using node = await behind((...question) =>
        meddle === undefined ? question[1]() : meddle(...question),
      )
      for (const [own, second] of [
        [fixture.rpcUrl, node.url],
        [node.url, fixture.rpcUrl],
      ] as const) {
        meddle = await make()
        const chain = chainOf([own], [second])
        const outcome = await look(chain)
        expect(outcome.kind).toBe(harmless.includes(fault) ? 'included' : 'unknown')
        meddle = undefined
        expect(
          await eventually(
            () => look(chain),
            ({ kind }) => kind === 'included',
          ),
        ).toMatchObject({ kind: 'included', transactionHash: paid.hash })
      }
    },
  )
}

verifies('nodes.absence', 'a chain shorter than what was seen has lost nothing', async () => {
  const { number } = await fixture.client.getBlock()
  const { authorization } = await fixture.authorize()
  const terms = { asset: fixture.asset, ...authorization, fromBlock: number }
  const hash = `0x${'5e'.repeat(32)}`
  const seen = (at: bigint) => look(fixture.chain, { ...terms, seenIn: { number: at, hash } })
  expect(await seen(number)).toMatchObject({ kind: 'unknown', code: 'unused' })
  expect(await seen(number + 1_000n)).toMatchObject({ kind: 'unknown', code: 'open' })
})

verifies(
  'nodes.failover',
  'a node that refuses the connection is passed over, and named',
  async () => {
    const chain = chainOf(['http://127.0.0.1:9', fixture.rpcUrl])
    expect(await look(chain)).toMatchObject({ kind: 'included' })
    expect((await chain.nodes()).map(({ faults }) => faults)).toEqual([['unreachable'], []])
  },
)

verifies('nodes.chain-id', 'a node of another chain is refused at a start and named', async () => {
  await using node = await behind(chainId(31337))
  const chain = chainOf([node.url])
  expect(await findChainFaults(chain.reader, fixture.asset)).toEqual([
    "the chain's id is 31337, not 8453",
  ])
  expect(await chain.isUp()).toBe(false)
  const [state] = await chain.nodes()
  expect(state).toMatchObject({ role: 'chain', chainId: 31337, faults: ['wrong_chain'] })
  expect(describeNode(state!)).toBe(`${node.url} is a node of chain 31337, not 8453`)
})

verifies('nodes.chain-id', 'a node that becomes one of another chain is not believed', async () => {
  let wrong = false
  await using node = await behind((method, pass, params) =>
    wrong ? chainId(31337)(method, pass, params) : pass(),
  )
  const chain = chainOf([node.url])
  expect(await look(chain)).toMatchObject({ kind: 'included' })
  wrong = true
  const seen = await eventually(
    () => look(chain),
    ({ kind }) => kind === 'unknown',
  )
  expect(seen).toMatchObject({ kind: 'unknown', code: 'unreachable' })
  wrong = false
  expect(await look(chain)).toMatchObject({ kind: 'included' })
})

verifies('nodes.named', 'each fault of a node is named, without its key', async () => {
  const { number } = await fixture.client.getBlock()
  await using late = await behind(staleHead(number - 100n))
  await using bare = await behind(async (method, pass, [tag] = []) =>
    method === 'eth_getBlockByNumber' && tag === 'finalized' ? { result: null } : pass(),
  )
  await using other = await anotherChain()
  const chain = chainOf([fixture.rpcUrl, `${late.url}/v2/secret`, bare.url], [other.rpcUrl])
  const states = await chain.nodes()
  expect(states.map(({ role }) => role)).toEqual(['chain', 'chain', 'chain', 'confirm'])
  expect(states[0]?.faults).toEqual([])
  expect(states[1]?.faults).toContain('behind')
  expect(states[2]?.faults).toContain('no_finalized_block')
  expect(states[3]?.faults).toContain('another_history')
  expect(states.map(describeNode).join('\n')).not.toContain('secret')
  expect(describeNode(states[1]!)).toContain('is behind the others')
})

/** A chain with the same id, a history of its own and the token at no known place. */
async function anotherChain(): Promise<TestChain & AsyncDisposable> {
  const other = await startChain()
  await other.client.mine({ blocks: 5 })
  return { ...other, [Symbol.asyncDispose]: other.stop }
}

test('a wrong chain never proves that a transfer is dead', async () => {
  const { timestamp } = await fixture.client.getBlock()
  const { authorization } = await fixture.authorize({ validBefore: timestamp - 100n })
  const terms = { asset: fixture.asset, ...authorization, fromBlock: 0n }
  expect(await look(fixture.chain, terms)).toMatchObject({ kind: 'dead' })
  let finalized = 0
  // The finalized block is read a second time, from a node that does not have it.
  await using node = await behind(async (method, pass, params = []) => {
    const answer = await pass()
    const isNumbered = method === 'eth_getBlockByNumber' && String(params[0]).startsWith('0x')
    if (isNumbered) finalized += 1
    return isNumbered ? { result: null } : answer
  })
  expect(await look(chainOf([node.url]), terms)).toMatchObject({ kind: 'unknown' })
  expect(finalized).toBeGreaterThan(0)
})
