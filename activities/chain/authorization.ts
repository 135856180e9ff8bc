import { type Address, encodeFunctionData, type Hex, type LocalAccount } from 'viem'
import { ASSET_NAME, ASSET_VERSION, CHAIN_ID } from '../../workflows/domain/limits.ts'
import { tokenAbi } from './token.ts'

/** An EIP-3009 transfer authorization: atomic units, Unix seconds, a 32-byte nonce; addresses lowercase. */
export type TokenAuthorization = {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** The EIP-712 typed data that the token verifies; its domain is checked against the token at start. */
export function authorizationTypedData(asset: Address, authorization: TokenAuthorization) {
  const domain = { name: ASSET_NAME, version: ASSET_VERSION, chainId: CHAIN_ID, verifyingContract: asset }
  return { domain, types, primaryType: 'TransferWithAuthorization', message: authorization } as const
}

/** The 65-byte signature of an authorization (EIP-3009). */
export function signAuthorization(
  account: LocalAccount,
  asset: Address,
  authorization: TokenAuthorization,
): Promise<Hex> {
  return account.signTypedData(authorizationTypedData(asset, authorization))
}

/** Calldata of the token's `bytes` overload of transferWithAuthorization, selector cf092995. */
export function encodeTransfer(authorization: TokenAuthorization, signature: Hex): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return encodeFunctionData({
    abi: tokenAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, signature],
  })
}
