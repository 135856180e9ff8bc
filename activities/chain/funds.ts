import type { Address } from 'viem'
import type { ChainReader } from './client.ts'
import { estimateFees, type Fees, readFees } from './fees.ts'
import { keepFresh } from './shared-reading.ts'
import { tokenAbi } from './token.ts'

/** A wallet's tokens in atomic units, now or as of a block; throws when the chain does not answer. */
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

/** Ether in wei by wallet, and what a transaction would offer for one gas now; throws when the chain does not answer. */
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

/** What a gas wallet holds, the next nonce by what is mined, and the next one by what the node's pool holds beside it. */
type Purse = {
  readonly address: Address
  readonly wei: bigint
  readonly mined: bigint
  readonly pooled: bigint
}
/** What a transaction should offer, the newest block's time in Unix seconds, and the gas wallets. */
export type Gas = {
  readonly fees: Fees
  readonly chainTime: bigint
  readonly gasWalletsWithFunds: readonly Purse[]
}
/** Fees and gas wallets as they were a moment ago; throws when the chain does not answer. */
export type GasWatch = () => Promise<Gas>

/** One reading for all who ask within `maxAgeMs`: 2 requests, and 3 for each wallet. */
export function watchGas(
  reader: ChainReader,
  wallets: readonly Address[],
  maxAgeMs: number,
): GasWatch {
  return keepFresh(async () => {
    const [read, ...gasWalletsWithFunds] = await Promise.all([
      readFees(reader),
      ...wallets.map((address) => readPurse(reader, address)),
    ])
    return { ...read, gasWalletsWithFunds }
  }, maxAgeMs)
}

async function readPurse(reader: ChainReader, address: Address): Promise<Purse> {
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
