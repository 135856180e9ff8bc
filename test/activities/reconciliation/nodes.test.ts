import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect } from 'vitest'
import { sections } from '#domain/core/difference.ts'
import { boundsOf, dayOf } from '#domain/receipts/statement.ts'
import {
  encodeTransfer,
  signAuthorization,
  type TokenAuthorization,
} from '../../../activities/chain/authorization.ts'
import { createChain } from '../../../activities/chain/client.ts'
import { openLedger } from '../../../activities/chain/ledger.ts'
import { findOutcome } from '../../../activities/chain/outcome.ts'
import { openPaymentEvidence } from '../../../activities/chain/payment-evidence.ts'
import { findDone } from '../../../activities/reconciliation/find-done.ts'
import { makeStatement } from '../../../activities/reconciliation/statement.ts'
import { createReconciliationSteps } from '../../../activities/reconciliation/steps.ts'
import type { Compared } from '../../../workflows/reconciliation/activities.ts'
import { newWallet } from '../../support/chain.ts'
import { hidesLogs, nullReceipts, rangeLimit, staleHead } from '../../support/node-faults.ts'
import { type Meddle, startProxy } from '../../support/rpc-proxy.ts'
import { verifies } from '../../verifies.ts'
import { type Books, startBooks } from './fixture.ts'
import { hex, placeAt, seedPayout } from './rows.ts'

// Real payments on a chain whose nodes lack receipts and logs, are behind, or answer for few blocks of logs at once.
let books: Books
beforeAll(async () => {
  books = await startBooks()
})
afterAll(() => books?.stop())

const honest: Meddle = (_method, pass) => pass()

/** What reads the chain behind such nodes, which are asked in this order, and what they were asked. */
async function behind(...faults: Meddle[]) {
  const asked: string[] = []
  const nodes = await Promise.all(
    faults.map((fault) =>
      startProxy(books.chain.rpcUrl, (method, pass, params) => {
        asked.push(method)
        return fault(method, pass, params)
      }),
    ),
  )
  const rpcUrls = nodes.map(({ url }) => url)
  const chain = createChain({ rpcUrls, confirmRpcUrls: [], timeoutMs: 4_000 })
  const { asset } = books.chain
  const deps = {
    ...books.deps,
    ledger: openLedger(chain.views[0], asset),
    findOutcome: ((authorization, sought) =>
      findOutcome(
        chain,
        { asset, ...authorization, ...sought },
        { confirmations: 1 },
      )) as typeof books.deps.findOutcome,
  }
  const close = async () => void (await Promise.all(nodes.map((node) => node.close())))
  return { chain, deps, asked, [Symbol.asyncDispose]: close }
}

/** A transfer by authorization from the payout wallet, sent or only signed, and the row that calls it done. */
async function pay({ sent = true } = {}) {
  const { client, asset, payoutWallet } = books.chain
  const { timestamp } = await client.getBlock()
  const authorization: TokenAuthorization = {
    from: payoutWallet.address,
    to: newWallet().address,
    value: 5n,
    validAfter: 0n,
    validBefore: timestamp + 10_000_000n,
    nonce: `0x${hex(32)}`,
  }
  const signature = await signAuthorization(payoutWallet.account, asset, authorization)
  const data = encodeTransfer(authorization, signature)
  const hash = sent ? await client.sendTransaction({ to: asset, data }) : undefined
  const block = hash && (await client.waitForTransactionReceipt({ hash }))
  const head = block ?? { blockNumber: await client.getBlockNumber(), blockHash: `0x${hex(32)}` }
  const row = {
    from_block: '0',
    transaction_hash: hash ?? `0x${hex(32)}`,
    block_number: head.blockNumber.toString(),
    block_hash: head.blockHash as string,
  }
  await client.mine({ blocks: 5 })
  return { authorization, row }
}

verifies('nodes.absence', 'a payment without a receipt is neither there nor gone', async () => {
  const { row, authorization } = await pay()
  await using sound = await behind(honest)
  expect(await findDone(sound.deps, row, authorization)).toMatchObject({
    blockHash: row.block_hash,
  })
  await using without = await behind(nullReceipts())
  await expect(findDone(without.deps, row, authorization)).rejects.toThrow('no receipt')
  const before = BigInt(row.block_number) - 1n
  await using late = await behind(staleHead(before))
  await expect(findDone(late.deps, row, authorization)).rejects.toThrow('no receipt')
})

verifies(
  'nodes.absence',
  'the state of its authorization proves what a receipt does not',
  async () => {
    const mine = await pay()
    await using sound = await behind(honest)
    const moved = { ...mine.row, transaction_hash: `0x${hex(32)}` }
    const used = await findDone(sound.deps, moved, mine.authorization)
    expect(used?.transfers[0]?.transactionHash).toBe(mine.row.transaction_hash)
    const never = await pay({ sent: false })
    expect(await findDone(sound.deps, never.row, never.authorization)).toBeNull()
  },
)

verifies('nodes.failover', 'the next node is asked for a receipt that one lacks', async () => {
  const { row, authorization } = await pay()
  await using nodes = await behind(nullReceipts(), honest)
  expect(await findDone(nodes.deps, row, authorization)).toMatchObject({
    blockHash: row.block_hash,
  })
})

verifies('nodes.absence', 'a claimed payment without a receipt is not called unmade', async () => {
  const { row, authorization } = await pay()
  const unmade = await pay({ sent: false })
  const claim = ({ row, authorization }: typeof unmade) => ({
    transactionHash: row.transaction_hash,
    payer: authorization.from,
    payee: authorization.to,
    amountAtomic: authorization.value.toString(),
    nonce: authorization.nonce,
  })
  const claimed = [claim({ row, authorization }), claim(unmade)]
  const evidence = async (fault: Meddle) => {
    await using node = await behind(fault)
    const { chain } = node
    const read = openPaymentEvidence({ chain, asset: books.chain.asset, confirmations: 1 })
    return (await read(claimed)).map((one) => (one.proven ? 'proven' : one.reason))
  }
  expect(await evidence(honest)).toEqual(['proven', 'authorization_unused'])
  expect(await evidence(nullReceipts())).toEqual(['receipt_not_found', 'authorization_unused'])
})

/** The chain's clock passes the end of a day in which a payout was made. */
async function endDay(): Promise<{ opening: bigint; closing: bigint }> {
  const { client } = books.chain
  const { timestamp } = await client.getBlock()
  const { begin, end } = boundsOf(dayOf(Number(timestamp) + 86_400))
  await client.setNextBlockTimestamp({ timestamp: BigInt(begin) })
  await client.mine({ blocks: 1 })
  const opening = await client.getBlockNumber({ cacheTime: 0 })
  await seedPayout(books.db, books.deps.rail.payoutWallet, { amount: 1n, createdAt: begin + 1 })
  await books.chain.mint(books.deps.payTo, 7n)
  for (let mined = 0; mined < 2_400; mined += 100) await client.mine({ blocks: 100, interval: 1 })
  await client.setNextBlockTimestamp({ timestamp: BigInt(end) })
  await client.mine({ blocks: 4 })
  return { opening, closing: await client.getBlockNumber({ cacheTime: 0 }) }
}

verifies(
  ['nodes.absence', 'nodes.cost'],
  'a statement is signed only by whole logs, and costs two ranges each',
  async () => {
    const { opening, closing } = await endDay()
    await using blind = await behind(hidesLogs)
    await expect(makeStatement(blind.deps)).rejects.toThrow('do not add up')
    await using small = await behind(rangeLimit(10))
    expect(await makeStatement(small.deps)).not.toBeNull()
    const logs = small.asked.filter((method) => method === 'eth_getLogs').length
    const ranges = Number(closing - opening) / 10
    expect(logs).toBeGreaterThan(ranges)
    expect(logs).toBeLessThan(2 * ranges * 1.2 + 40)
  },
)

verifies('nodes.cost', 'a page of blocks needs few ranges, however small they are', async () => {
  await using small = await behind(rangeLimit(10))
  const steps = createReconciliationSteps(small.deps)
  const activity = new MockActivityEnvironment()
  const { throughBlock } = await steps.openReconciliation({
    reconciliationId: 'small',
    scope: 'all',
  })
  await placeAt(small.deps.db, 'small', sections.indexOf('blocks'))
  const compare = (): Promise<Compared> => {
    small.asked.length = 0
    const page = { reconciliationId: 'small', section: 'blocks' } as const
    return activity.run(steps.comparePage, page)
  }
  let [more, pages] = [true, 0]
  do {
    const page = await compare()
    // The first answer teaches the limit; every page after it keeps to it.
    if (pages > 0)
      expect(small.asked.filter((method) => method === 'eth_getLogs').length).toBeLessThan(420)
    more = page.more
    pages += 1
  } while (more)
  expect(pages).toBeGreaterThanOrEqual(Math.floor(Number(throughBlock) / 2_000))
})
