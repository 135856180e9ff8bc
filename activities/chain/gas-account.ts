import type { Hex } from 'viem'

/** An EIP-1559 transaction without value; fees in wei. */
type GasTransaction = {
  readonly type: 'eip1559'
  readonly chainId: number
  readonly to: Hex
  readonly data: Hex
  readonly nonce: number
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** A gas wallet: its address, and the raw bytes of a transaction that it signed. */
export type GasAccount = {
  readonly address: Hex
  signTransaction(transaction: GasTransaction): Promise<Hex>
}
