import { createRequire } from 'node:module'
import { type Hex, parseAbi } from 'viem'
import type { LocalChainClient } from '../../../worker/stack/token.ts'

const source = `pragma solidity ^0.8.26;
contract Batch {
  function run(address target, bytes[] calldata calls) external {
    for (uint256 i = 0; i < calls.length; i++) { (bool ok,) = target.call(calls[i]); require(ok); }
  }
}`
export const batchAbi = parseAbi(['function run(address target, bytes[] calls)'])

/** Deploys a contract that makes several calls in one transaction; its address. */
export async function deployBatch(client: LocalChainClient): Promise<Hex> {
  const solc = createRequire(import.meta.url)('solc')
  const input = {
    language: 'Solidity',
    sources: { 'b.sol': { content: source } },
    settings: { evmVersion: 'cancun', outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  }
  const bytecode: Hex = `0x${JSON.parse(solc.compile(JSON.stringify(input))).contracts['b.sol'].Batch.evm.bytecode.object}`
  const deployed = await client.waitForTransactionReceipt({
    hash: await client.deployContract({ abi: batchAbi, bytecode }),
  })
  return deployed.contractAddress!
}

/** Makes several calls in one transaction. */
export async function runBatch(client: LocalChainClient, target: Hex, calls: Hex[]): Promise<void> {
  const hash = await client.writeContract({
    address: await deployBatch(client),
    abi: batchAbi,
    functionName: 'run',
    args: [target, calls],
  })
  const { status } = await client.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error('the batch reverted')
}
