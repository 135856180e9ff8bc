import type { Address } from 'viem'
import type { ChainReader } from './client.ts'
import { estimateFees } from './fees.ts'
import { tokenAbi } from './token.ts'

/** A wallet's tokens in atomic units, now or as of a block; throws when the chain does not answer. */
export function readTokens(
  reader: ChainReader,
  asset: Address,
  wallet: Address,
  blockNumber?: bigint,
): Promise<bigint> {
  const question = { address: asset, abi: tokenAbi, functionName: 'balanceOf', args: [wallet] } as const
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
  const weiOf = Object.fromEntries(wallets.map((address, index) => [address, balances[index] ?? 0n]))
  return { weiOf, weiPerGas: fees.maxFeePerGas }
}
