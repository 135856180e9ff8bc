import {
  type Address,
  domainSeparator,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  stringToHex,
} from 'viem'
import { ASSET_NAME, ASSET_VERSION, CHAIN_ID } from '#domain/core/limits.ts'
import type { DigestSigner } from './secp256k1.ts'
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

const TYPE_HASH = keccak256(
  stringToHex(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
)

/** The EIP-712 domain of the token; checked against the token at start. */
export const tokenDomain = (asset: Address) =>
  ({
    name: ASSET_NAME,
    version: ASSET_VERSION,
    chainId: CHAIN_ID,
    verifyingContract: asset,
  }) as const

/** The 65-byte signature of an authorization (EIP-3009). */
export function signAuthorization(
  signer: DigestSigner,
  asset: Address,
  authorization: TokenAuthorization,
): Promise<Hex> {
  return signer.sign({ hash: authorizationDigest(asset, authorization) })
}

/** The EIP-712 digest from which the token recovers the signer. It is encoded directly, without parsing the types on each call. */
export function authorizationDigest(asset: Address, authorization: TokenAuthorization): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const numbers = [value, validAfter, validBefore].map((number) =>
    numberToHex(number, { size: 32 }),
  )
  const words = [TYPE_HASH, pad(from), pad(to), ...numbers, nonce]
    .map((word) => word.slice(2))
    .join('')
  return keccak256(`0x1901${separatorOf(asset).slice(2)}${keccak256(`0x${words}`).slice(2)}`)
}

const separators = new Map<Address, Hex>()

function separatorOf(asset: Address): Hex {
  const known = separators.get(asset) ?? domainSeparator({ domain: tokenDomain(asset) })
  separators.set(asset, known)
  return known
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
