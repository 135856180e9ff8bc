import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Address, type Hex, parseEther } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { chainPart } from '../../worker/stack/chain.ts'
import { compileDollarToken } from '../../worker/stack/compile-token.ts'
import type { Part } from '../../worker/stack/part.ts'
import { findFree } from '../../worker/stack/ports.ts'
import {
  ensureEther,
  ensureToken,
  type LocalChainClient,
  localChainClient,
  mintTokens,
} from '../../worker/stack/token.ts'
import { scratchDirectory } from './postgres.ts'
import { testCache } from './test-cache.ts'

/** A fresh account of the test chain with its key. */
export type TestWallet = { address: Address; privateKey: Hex; account: PrivateKeyAccount }

/** A running chain: `owner` owns (and deployed) the token `asset`, `gasWallets` hold ether, `payoutWallet` holds 1,000 tokens. */
export type TestChain = {
  rpcUrl: string
  asset: Address
  owner: TestWallet
  deployer: TestWallet
  gasWallets: [TestWallet, TestWallet]
  payoutWallet: TestWallet
  client: LocalChainClient
  part: Part
  mint(to: Address, atomic: bigint): Promise<void>
  stop(): Promise<void>
}

/** anvil with the dollar token deployed and wallets funded, up in about a second (the first compilation takes 4 s more). */
export async function startChain(): Promise<TestChain> {
  const directory = await scratchDirectory()
  const [port = 0] = await findFree(1)
  const part = chainPart({
    directory: join(directory, 'chain'),
    port,
    logFile: join(directory, 'chain.log'),
  })
  await part.start()
  await part.waitReady()
  const rpcUrl = `http://127.0.0.1:${port}`
  const [owner, payoutWallet, first, second] = [newWallet(), newWallet(), newWallet(), newWallet()]
  const client = localChainClient(rpcUrl, owner.privateKey)
  const asset = await ensureToken(client, () => compileDollarToken(testCache), undefined)
  await Promise.all(
    [first, second].map((wallet) => ensureEther(client, wallet.address, parseEther('10'))),
  )
  const mint = (to: Address, atomic: bigint) => mintTokens(client, asset, to, atomic)
  await mint(payoutWallet.address, 1_000_000_000n)
  const stop = async () => {
    await part.stop()
    await rm(directory, { recursive: true, force: true })
  }
  return {
    rpcUrl,
    asset,
    owner,
    deployer: owner,
    gasWallets: [first, second],
    payoutWallet,
    client,
    part,
    mint,
    stop,
  }
}

/** A fresh account; its lowercase address is the form that the store and the wire use. */
export function newWallet(): TestWallet {
  const privateKey = generatePrivateKey()
  const account = privateKeyToAccount(privateKey)
  return { address: account.address.toLowerCase() as Address, privateKey, account }
}

/** A finalized block that proves an outcome which a test makes up. */
export const finalizedBlock = {
  number: 12n,
  hash: `0x${'f1'.repeat(32)}`,
  timestamp: 1_800_000_000n,
} as const
