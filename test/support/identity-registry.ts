import { type Address, encodeFunctionData, parseAbi } from 'viem'
import type { LocalChainClient } from '../../worker/stack/token.ts'
import { compileContract } from './contract-wallet.ts'

const source = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;
contract IdentityRegistry {
  event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
  mapping(uint256 => address) private owners;
  uint256 private next = 1;
  function register(address to) external returns (uint256 tokenId) {
    tokenId = next++;
    owners[tokenId] = to;
    emit Transfer(address(0), to, tokenId);
  }
  function transferFrom(address from, address to, uint256 tokenId) external {
    require(owners[tokenId] == from && msg.sender == from, "not the owner");
    owners[tokenId] = to;
    emit Transfer(from, to, tokenId);
  }
  function ownerOf(uint256 tokenId) external view returns (address owner) {
    owner = owners[tokenId];
    require(owner != address(0), "ERC721NonexistentToken");
  }
}`

const abi = parseAbi(['function register(address to) returns (uint256)'])

/** Deploys an ERC-721 registry of identities, which numbers its tokens from 1. */
export async function deployIdentityRegistry(client: LocalChainClient) {
  const data = compileContract(source, 'IdentityRegistry')
  const hash = await client.sendTransaction({ data })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error('the registry was not deployed')
  const address = contractAddress.toLowerCase() as Address
  return {
    address,
    /** Gives the next token to an owner. */
    mint: async (owner: Address) => {
      const call = encodeFunctionData({ abi, args: [owner] })
      const minted = await client.sendTransaction({ to: address, data: call })
      await client.waitForTransactionReceipt({ hash: minted })
    },
  }
}
