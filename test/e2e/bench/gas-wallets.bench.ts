import pg from 'pg'
import { afterAll, beforeAll, test } from 'vitest'
import { createGasWalletQueue } from '../../../activities/chain/gas-wallet-queue.ts'
import { preflight } from '../../../activities/chain/preflight.ts'
import { eventually, type Fixture, GAS, startFixture } from '../../activities/chain/fixture.ts'

const sent = { requests: 0, statements: 0 }
let fixture: Fixture
beforeAll(async () => {
  countStatements()
  fixture = await startFixture()
  countRequests(fixture.rpcUrl)
})
afterAll(() => fixture?.stop())

/** Counts every question to the chain, each element of a batch. */
function countRequests(rpcUrl: string): void {
  const ask = globalThis.fetch
  globalThis.fetch = (input, init) => {
    if (String(input instanceof Request ? input.url : input).startsWith(rpcUrl)) sent.requests += 1
    return ask(input, init)
  }
}

/** Counts every statement of every connection; begin and commit are statements too. */
function countStatements(): void {
  const prototype = pg.Client.prototype as { query: (...args: unknown[]) => unknown }
  const query = prototype.query
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    sent.statements += 1
    return query.apply(this, args)
  }
}

test('what one submit costs, and how many there are in a second', async () => {
  const wallets = [...fixture.gasWallets, await fixture.fundedWallet()]
  const settings = fixture.gasWalletSettings({
    accounts: wallets.map((wallet) => wallet.account),
    cacheMs: 1_000,
  })
  const gasWalletQueue = createGasWalletQueue(settings)
  const looks = { asset: fixture.asset, gas: settings.gas, transferGas: GAS }
  const rows = []
  for (const callers of [1, 1, 8, 32]) {
    const queue = await Promise.all(Array.from({ length: 300 }, () => fixture.authorize()))
    const to = queue.map(({ authorization }) => authorization.to)
    const before = { ...sent }
    const begun = performance.now()
    const caller = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        await preflight(fixture.chain, looks, next.authorization, next.signature)
        await fixture.chain.head()
        await gasWalletQueue.submit(`bench:${next.authorization.nonce}`, next.call)
      }
    }
    await Promise.all(Array.from({ length: callers }, caller))
    const seconds = (performance.now() - begun) / 1000
    const spent = {
      requests: sent.requests - before.requests,
      statements: sent.statements - before.statements,
    }
    await eventually(
      () => fixture.balance(to[0] as `0x${string}`),
      (held) => held > 0n,
    )
    await gasWalletQueue.maintain()
    rows.push({
      callers,
      'requests per submit': Math.round((spent.requests / 300) * 100) / 100,
      'statements per submit': Math.round((spent.statements / 300) * 100) / 100,
      'submits per s': Math.round(300 / seconds),
    })
  }
  console.table(rows.slice(1))
})
