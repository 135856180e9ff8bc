import pg from 'pg'
import { afterAll, beforeAll, test } from 'vitest'
import { createLane } from '../../activities/chain/lane.ts'
import { preflight } from '../../activities/chain/preflight.ts'
import { eventually, GAS, type Rig, startRig } from '../activities/chain/rig.ts'

const sent = { requests: 0, statements: 0 }
let rig: Rig
beforeAll(async () => {
  countStatements()
  rig = await startRig()
  countRequests(rig.rpcUrl)
})
afterAll(() => rig?.stop())

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
  const wallets = [...rig.gasWallets, await rig.fundedWallet()]
  const settings = rig.laneSettings({ accounts: wallets.map((wallet) => wallet.account), cacheMs: 1_000 })
  const lane = createLane(settings)
  const looks = { asset: rig.asset, gas: settings.gas, transferGas: GAS }
  const rows = []
  for (const callers of [1, 1, 8, 32]) {
    const queue = await Promise.all(Array.from({ length: 300 }, () => rig.authorize()))
    const to = queue.map(({ authorization }) => authorization.to)
    const before = { ...sent }
    const begun = performance.now()
    const caller = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        await preflight(rig.chain, looks, next.authorization, next.signature)
        await rig.chain.head()
        await lane.submit(`bench:${next.authorization.nonce}`, next.call)
      }
    }
    await Promise.all(Array.from({ length: callers }, caller))
    const seconds = (performance.now() - begun) / 1000
    const spent = { requests: sent.requests - before.requests, statements: sent.statements - before.statements }
    await eventually(
      () => rig.balance(to[0] as `0x${string}`),
      (held) => held > 0n,
    )
    await lane.maintain()
    rows.push({
      callers,
      'requests per submit': Math.round((spent.requests / 300) * 100) / 100,
      'statements per submit': Math.round((spent.statements / 300) * 100) / 100,
      'submits per s': Math.round(300 / seconds),
    })
  }
  console.table(rows.slice(1))
})
