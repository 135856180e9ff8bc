import { toFunctionSelector } from 'viem'
import type { GasRequest } from './protocol.ts'

/** The token whose transfers gas wallets send, and the most that one transaction may cost. */
export type GasPolicy = { readonly asset: string; readonly feeMaxWei: bigint }

const AUTHORIZATION = 'address,address,uint256,uint256,uint256,bytes32'
/** Both forms of EIP-3009: with the signature as bytes, and as `v`, `r` and `s`. */
const selectors = [
  toFunctionSelector(`transferWithAuthorization(${AUTHORIZATION},bytes)`),
  toFunctionSelector(`transferWithAuthorization(${AUTHORIZATION},uint8,bytes32,bytes32)`),
]
const GAS_MAX = 500_000n

/** Why a transaction of a gas wallet is refused; undefined for a transfer of the token by authorization, and for an empty one to itself. */
export function gasRefusal(request: GasRequest, policy: GasPolicy): string | undefined {
  const { wallet, to, data, gas, max_fee_per_gas } = request
  const isFiller = to === wallet && data === '0x'
  const isTransfer = to === policy.asset && selectors.some((selector) => data.startsWith(selector))
  if (!isFiller && !isTransfer)
    return 'the transaction is neither a transfer of the token by authorization nor an empty one to itself'
  if (BigInt(gas) > GAS_MAX) return `the gas is above ${GAS_MAX}`
  const fee = BigInt(gas) * BigInt(max_fee_per_gas)
  return fee <= policy.feeMaxWei ? undefined : `the fee of ${fee} wei is above ${policy.feeMaxWei}`
}
