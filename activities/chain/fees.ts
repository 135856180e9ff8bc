import type { ChainReader } from './client.ts'

/** EIP-1559 fees of one transaction, in wei per gas. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** A replacement offers at most this multiple of the network's current fees, so that a halted chain cannot raise fees without limit. */
const OVER_NETWORK_MAX = 20n

/** The fees that a transaction should offer now; throws if the chain does not answer. */
export const estimateFees = async (reader: ChainReader): Promise<Fees> =>
  (await readFees(reader)).fees

/**
 * Twice the base fee of the newest block, which lasts six full blocks, and the node's priority fee; and that block's time in
 * Unix seconds.
 */
export async function readFees(reader: ChainReader): Promise<{ fees: Fees; chainTime: bigint }> {
  const [block, suggested] = await Promise.all([
    reader.getBlock(),
    reader.request({ method: 'eth_maxPriorityFeePerGas' }),
  ])
  const maxPriorityFeePerGas = BigInt(suggested) === 0n ? 1n : BigInt(suggested)
  const fees = {
    maxFeePerGas: (block.baseFeePerGas ?? 0n) * 2n + maxPriorityFeePerGas,
    maxPriorityFeePerGas,
  }
  return { fees, chainTime: block.timestamp }
}

/** Fees that a pool accepts for a replacement: each at least 12.5 % above the old ones; undefined above the ceiling. */
export function bumpFees(old: Fees, network: Fees): Fees | undefined {
  const ceiling = (network.maxFeePerGas + network.maxPriorityFeePerGas) * OVER_NETWORK_MAX
  const raised = {
    maxFeePerGas: raise(old.maxFeePerGas, network.maxFeePerGas),
    maxPriorityFeePerGas: raise(old.maxPriorityFeePerGas, network.maxPriorityFeePerGas),
  }
  return raised.maxFeePerGas > ceiling ? undefined : raised
}

function raise(old: bigint, network: bigint): bigint {
  const least = (old * 1125n + 999n) / 1000n
  return least > network ? least : network
}
