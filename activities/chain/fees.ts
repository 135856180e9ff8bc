import type { ChainReader } from './client.ts'

/** EIP-1559 fees of one transaction, in wei per gas. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** A replacement offers at most this multiple of the network's current fees, so that a halted chain cannot raise fees without limit. */
const OVER_NETWORK_MAX = 20n

/** The fees that a transaction should offer now; throws if the chain does not answer. */
export const estimateFees = async (reader: ChainReader): Promise<Fees> =>
  (await readFees(reader)).fees

/** The priority fee where no node knows one, in wei per gas: what Base asks when its blocks are not full. */
const FIXED_TIP = 1_000_000n

/**
 * Twice the base fee of the newest block, which lasts six full blocks, and a priority fee: the node's, or that of the last blocks;
 * and the newest block's time in Unix seconds.
 */
export async function readFees(reader: ChainReader): Promise<{ fees: Fees; chainTime: bigint }> {
  const [block, maxPriorityFeePerGas] = await Promise.all([reader.getBlock(), readTip(reader)])
  const base = block.baseFeePerGas ?? (await reader.getGasPrice())
  const fees = { maxFeePerGas: base * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas }
  return { fees, chainTime: block.timestamp }
}

async function readTip(reader: ChainReader): Promise<bigint> {
  for (const read of [suggestedTip, tipOfHistory]) {
    const tip = await read(reader).catch(() => undefined)
    if (tip !== undefined) return tip === 0n ? 1n : tip
  }
  return FIXED_TIP
}

const suggestedTip = async (reader: ChainReader): Promise<bigint> =>
  BigInt(await reader.request({ method: 'eth_maxPriorityFeePerGas' }))

/** The median of what half of the gas of each of the last blocks paid at most. */
async function tipOfHistory(reader: ChainReader): Promise<bigint | undefined> {
  const params = ['0x5', 'latest', [50]] as const
  const { reward } = await reader.request({
    method: 'eth_feeHistory',
    params: [...params] as never,
  })
  const tips = (reward ?? [])
    .flat()
    .map(BigInt)
    .sort((a, b) => Number(a - b))
  return tips[Math.floor(tips.length / 2)]
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
