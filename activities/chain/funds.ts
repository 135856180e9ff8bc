import type { Address } from 'viem'
import type { ChainReader } from './client.ts'
import { estimateFees } from './fees.ts'
import { tokenAbi } from './token.ts'

/** A wallet's tokens in atomic units; throws when the chain does not answer. */
export function readTokens(reader: ChainReader, asset: Address, wallet: Address): Promise<bigint> {
  return reader.readContract({ address: asset, abi: tokenAbi, functionName: 'balanceOf', args: [wallet] })
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
