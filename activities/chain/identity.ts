import { type Hex, parseAbi } from 'viem'
import { refuse } from '#domain/core/errors.ts'
import { isChainFault } from './chain-fault.ts'
import type { ChainReader } from './client.ts'

const registryAbi = parseAbi(['function ownerOf(uint256 tokenId) view returns (address)'])

/**
 * The lowercase owner of a token of an ERC-721 registry, such as an identity of ERC-8004; undefined where the registry knows no such
 * token. Throws 503 `unavailable` without the chain.
 */
export async function readTokenOwner(
  reader: ChainReader,
  registry: Hex,
  tokenId: bigint,
): Promise<Hex | undefined> {
  try {
    const owner = await reader.readContract({
      address: registry,
      abi: registryAbi,
      functionName: 'ownerOf',
      args: [tokenId],
    })
    return owner.toLowerCase() as Hex
  } catch (error) {
    if (!isChainFault(error)) return undefined
    throw refuse('unavailable', {
      detail: 'the chain does not answer who owns the identity',
      next_action: 'Repeat the call later, or register without an identity.',
      money_moved: 'no',
      retry_after_ms: 1000,
    })
  }
}
