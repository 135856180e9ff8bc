import { createRequire } from 'node:module'
import { type Address, encodeDeployData, type Hex, parseAbi, zeroAddress } from 'viem'
import type { LocalChainClient } from '../../worker/stack/token.ts'
import type { TestWallet } from './chain.ts'

const source = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;
contract OwnedWallet {
  address private immutable owner;
  constructor(address owner_) { owner = owner_; }
  function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
    address signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
    return signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
  }
}`

/** Deploys an EIP-1271 wallet that accepts the signatures of `owner`; answers its lowercase address. */
export async function deployContractWallet(
  client: LocalChainClient,
  owner: Address,
): Promise<Address> {
  const data = encodeDeployData({
    abi: parseAbi(['constructor(address owner)']),
    bytecode: compileContract(source, 'OwnedWallet'),
    args: [owner],
  })
  const hash = await client.sendTransaction({ data })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error('the wallet was not deployed')
  return contractAddress.toLowerCase() as Address
}

/**
 * Delegates an account to a contract by a transaction of type 4 (EIP-7702), or ends its delegation; answers the account's code, which
 * is `0xef0100` and the address of the contract.
 */
export async function delegate(
  client: LocalChainClient,
  { account }: TestWallet,
  to: Address = zeroAddress,
): Promise<Hex | undefined> {
  const nonce = await client.getTransactionCount({ address: account.address })
  const chainId = await client.getChainId()
  const authorization = await account.signAuthorization({ address: to, chainId, nonce })
  const hash = await client.sendTransaction({
    // A call to the account itself would run its new code.
    to: client.account.address,
    authorizationList: [authorization],
  })
  const { status, type } = await client.waitForTransactionReceipt({ hash })
  if (status !== 'success' || type !== 'eip7702') throw new Error('the delegation was not mined')
  return client.getCode({ address: account.address })
}

/** The bytecode of a contract in this source. */
export function compileContract(content: string, name: string): Hex {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const settings = { outputSelection: { '*': { [name]: ['evm.bytecode.object'] } } }
  const input = { language: 'Solidity', sources: { 'c.sol': { content } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  return `0x${output.contracts['c.sol'][name].evm.bytecode.object}`
}
