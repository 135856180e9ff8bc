import { randomBytes } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import { pino } from 'pino'
import { type Hex, parseEther } from 'viem'
import {
  encodeTransfer,
  signAuthorization,
  type TokenAuthorization,
} from '../../../activities/chain/authorization.ts'
import { type Chain, createChain } from '../../../activities/chain/client.ts'
import { watchGas } from '../../../activities/chain/funds.ts'
import {
  createGasWalletQueue,
  type GasWalletQueue,
  type GasWalletSettings,
} from '../../../activities/chain/gas-wallet-queue.ts'
import { findOutcome, type Outcome } from '../../../activities/chain/outcome.ts'
import { ensureGasWallets } from '../../../activities/store/gas-wallets/gas-wallets.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { newWallet, startChain, type TestChain, type TestWallet } from '../../support/chain.ts'
import { startDatabase } from '../../support/postgres.ts'

export const GAS = 200_000n

type Sent = {
  authorization: TokenAuthorization
  signature: Hex
  call: { to: Hex; data: Hex; gas: bigint }
}
type GasWalletOptions = Partial<GasWalletSettings> & { cacheMs?: number }

export type Fixture = TestChain & {
  db: Kysely<Database>
  chain: Chain
  /** Signs a transfer of 5 atomic units to a new wallet, by default valid for an hour of the chain's time. */
  authorize(more?: Partial<TokenAuthorization>, from?: TestWallet): Promise<Sent>
  /** Settings over the rig's gas wallets and by default a chain that is read afresh each time. */
  gasWalletSettings(more?: GasWalletOptions): GasWalletSettings
  newGasWalletQueue(more?: GasWalletOptions): GasWalletQueue
  outcome(terms: TokenAuthorization, confirmations?: number): Promise<Outcome>
  balance(address: Hex): Promise<bigint>
  rows(purpose: string): Promise<Selectable<Database['gas_wallet_transactions']>[]>
  /** A gas wallet with its own queue, so that a test can misuse its key. */
  fundedWallet(): Promise<TestWallet>
  /** Nothing is mined until `mine` or the returned function is called. */
  haltMining(): Promise<() => Promise<void>>
}

/** A chain, a database and what tests do with both. */
export async function startFixture(): Promise<Fixture> {
  const [local, database] = await Promise.all([startChain(), startDatabase()])
  const { db } = database
  await ensureGasWallets(
    db,
    local.gasWallets.map(({ address }) => address),
  )
  const chain = createChain({ rpcUrls: [local.rpcUrl], confirmRpcUrls: [], timeoutMs: 2_000 })
  const { client, asset } = local
  const gasWalletSettings = ({
    cacheMs = 0,
    ...more
  }: GasWalletOptions = {}): GasWalletSettings => {
    const { view = chain.views[0], accounts = local.gasWallets.map((wallet) => wallet.account) } =
      more
    const addresses = accounts.map(({ address }) => address)
    const times = { feeBumpAfterMs: 30_000, jamAfterMs: 90_000 }
    const gas = watchGas(view.reader, addresses, cacheMs)
    return { db, view, accounts, gas, log: pino({ level: 'silent' }), ...times, ...more }
  }

  const authorize = async (
    more: Partial<TokenAuthorization> = {},
    from: TestWallet = local.payoutWallet,
  ) => {
    const { timestamp } = await client.getBlock()
    const terms: TokenAuthorization = {
      from: from.address,
      to: newWallet().address,
      value: 5n,
      validAfter: 0n,
      validBefore: timestamp + 3_600n,
      nonce: randomNonce(),
      ...more,
    }
    const signature = await signAuthorization(from.account, asset, terms)
    return {
      authorization: terms,
      signature,
      call: { to: asset, data: encodeTransfer(terms, signature), gas: GAS },
    }
  }
  return {
    ...local,
    db,
    chain,
    authorize,
    gasWalletSettings,
    newGasWalletQueue: (more) => createGasWalletQueue(gasWalletSettings(more)),
    outcome: (terms: TokenAuthorization, confirmations = 1) =>
      findOutcome(chain, { asset, ...terms, fromBlock: 0n }, { confirmations }),
    balance: (address: Hex) =>
      client.readContract({
        address: asset,
        abi: balanceAbi,
        functionName: 'balanceOf',
        args: [address],
      }),
    rows: (purpose: string) =>
      db
        .selectFrom('gas_wallet_transactions')
        .selectAll()
        .where('purpose', '=', purpose)
        .orderBy('created_at')
        .execute(),
    fundedWallet: async () => {
      const wallet = newWallet()
      await client.setBalance({ address: wallet.address, value: parseEther('1') })
      await ensureGasWallets(db, [wallet.address])
      return wallet
    },
    haltMining: async () => {
      await client.setAutomine(false)
      await client.setIntervalMining({ interval: 0 })
      return async () => {
        await client.setIntervalMining({ interval: 1 })
        await client.setAutomine(true)
      }
    },
    stop: async () => void (await Promise.all([local.stop(), database.stop()])),
  }
}

const balanceAbi = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ type: 'address' }],
    outputs: [{ type: 'uint256' }],
  },
] as const

export const randomNonce = (): Hex => `0x${randomBytes(32).toString('hex')}`

/** Asks again every 100 ms until the answer is right. */
export async function eventually<T>(
  ask: () => Promise<T>,
  right: (answer: T) => boolean,
  within = 40_000,
): Promise<T> {
  const until = Date.now() + within
  for (;;) {
    const answer = await ask()
    if (right(answer) || Date.now() > until) return answer
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
