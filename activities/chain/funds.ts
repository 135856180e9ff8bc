import type { Address } from 'viem'
import type { ChainReader } from './client.ts'
import { estimateFees, type Fees, readFees } from './fees.ts'
import { keepFresh } from './shared-reading.ts'
import { tokenAbi } from './token.ts'

/** The tokens of a wallet in atomic units, now or at a block; throws if the chain does not answer. */
export function readTokens(
  reader: ChainReader,
  asset: Address,
  wallet: Address,
  blockNumber?: bigint,
): Promise<bigint> {
  const question = {
    address: asset,
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [wallet],
  } as const
  return reader.readContract(blockNumber === undefined ? question : { ...question, blockNumber })
}

/** The ether of each wallet in wei, and the current price of one gas; throws if the chain does not answer. */
export async function readGas(
  reader: ChainReader,
  wallets: readonly Address[],
): Promise<{ weiOf: Record<Address, bigint>; weiPerGas: bigint }> {
  const [fees, ...balances] = await Promise.all([
    estimateFees(reader),
    ...wallets.map((address) => reader.getBalance({ address })),
  ])
  const weiOf = Object.fromEntries(
    wallets.map((address, index) => [address, balances[index] ?? 0n]),
  )
  return { weiOf, weiPerGas: fees.maxFeePerGas }
}

/** The ether of a gas wallet, its next nonce after mined transactions, and its next nonce including the node's pool. */
type GasWalletFunds = {
  readonly address: Address
  readonly wei: bigint
  readonly mined: bigint
  readonly pooled: bigint
}
/** The fees to offer, the time of the newest block in Unix seconds, and the gas wallets. */
export type Gas = {
  readonly fees: Fees
  readonly chainTime: bigint
  readonly gasWalletsWithFunds: readonly GasWalletFunds[]
}
/** Recent fees and gas wallets; throws if the chain does not answer. */
export type GasWatch = () => Promise<Gas>

/** Shares one reading between all calls within `maxAgeMs`: 2 requests, and 3 for each wallet. */
export function watchGas(
  reader: ChainReader,
  wallets: readonly Address[],
  maxAgeMs: number,
): GasWatch {
  return keepFresh(async () => {
    const [read, ...gasWalletsWithFunds] = await Promise.all([
      readFees(reader),
      ...wallets.map((address) => readFunds(reader, address)),
    ])
    return { ...read, gasWalletsWithFunds }
  }, maxAgeMs)
}

async function readFunds(reader: ChainReader, address: Address): Promise<GasWalletFunds> {
  const [wei, mined, pooled] = await Promise.all([
    reader.getBalance({ address }),
    reader.getTransactionCount({ address, blockTag: 'latest' }),
    reader.getTransactionCount({ address, blockTag: 'pending' }),
  ])
  return {
    address: address.toLowerCase() as Address,
    wei,
    mined: BigInt(mined),
    pooled: BigInt(pooled),
  }
}
