import type { Address } from 'viem'
import type { Environment } from '#domain/core/environment.ts'
import { ASSET_DECIMALS, ASSET_NAME, ASSET_VERSION } from '#domain/core/limits.ts'
import { causeIn, isChainFault, WrongChainError } from './chain-fault.ts'
import type { ChainReader } from './client.ts'
import { tokenAbi } from './token.ts'

/** The facts to check at a start; `wallets` maps a role, such as `payout wallet`, to its lowercase address. */
export type StartFacts = {
  readonly environment: Environment
  readonly asset: Address
  readonly wallets: Readonly<Record<string, Address>>
}

/** The result if the chain does not answer. It proves no fault. */
export const CHAIN_SILENT = 'the chain does not answer'

/** Native USDC on Base, Base Sepolia and Ethereum: a signature made on the local chain must be worthless there. */
export const knownAssets: readonly string[] = [
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
]
/** The first ten accounts of the mnemonic that anvil and others publish; everyone knows their keys. */
export const publishedAccounts: readonly string[] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
  '0x976ea74026e726554db657fa54763abd0c3a0aa9',
  '0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
  '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
  '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
]

/** Every fault that forbids a start, as a sentence; empty if there is none. */
export async function findStartFaults(
  chain: { readonly reader: ChainReader },
  facts: StartFacts,
): Promise<string[]> {
  return [...findWalletFaults(facts), ...(await findChainFaults(chain.reader, facts.asset))]
}

/** Throws if something forbids this start. A silent chain only causes a warning, because the process waits for it. */
export async function refuseFaultyStart(
  chain: { readonly reader: ChainReader },
  facts: StartFacts,
  warn: (text: string) => void,
): Promise<void> {
  const faults = await findStartFaults(chain, facts)
  const proven = faults.filter((fault) => fault !== CHAIN_SILENT)
  if (proven.length > 0) throw new Error(`this process must not start: ${proven.join('; ')}`)
  if (faults.length > 0) warn(`${CHAIN_SILENT}; the token could not be checked`)
}

/** The faults of the configured addresses; empty if there is none. */
export function findWalletFaults({ environment, asset, wallets }: StartFacts): string[] {
  const faults: string[] = []
  if (environment === 'local' && knownAssets.includes(asset.toLowerCase()))
    faults.push(`the local chain's asset has the address of a known asset, ${asset}`)
  const roles = new Map<string, string>()
  for (const [role, address] of Object.entries(wallets)) {
    const known = address.toLowerCase()
    if (publishedAccounts.includes(known))
      faults.push(`the ${role} ${known} is an account of a published mnemonic`)
    const other = roles.get(known)
    if (other !== undefined)
      faults.push(`the ${role} and the ${other} are the same address ${known}`)
    if (known === asset.toLowerCase()) faults.push(`the ${role} is the asset itself`)
    roles.set(known, role)
  }
  return faults
}

/** What is wrong with the chain's id or the asset's name, version and decimals; `CHAIN_SILENT` if it does not answer. */
export async function findChainFaults(reader: ChainReader, asset: Address): Promise<string[]> {
  const token = { address: asset, abi: tokenAbi } as const
  try {
    const [name, version, decimals] = await Promise.all([
      reader.readContract({ ...token, functionName: 'name' }),
      reader.readContract({ ...token, functionName: 'version' }),
      reader.readContract({ ...token, functionName: 'decimals' }),
    ])
    const wanted = { name: ASSET_NAME, version: ASSET_VERSION, decimals: ASSET_DECIMALS }
    const found = { name, version, decimals }
    return Object.entries(wanted).flatMap(([key, value]) => {
      const seen = found[key as keyof typeof found]
      return seen === value ? [] : [`the asset's ${key} is ${seen}, not ${value}`]
    })
  } catch (error) {
    const wrong = causeIn(error, WrongChainError)
    if (wrong !== undefined) return [wrong.shortMessage]
    return [isChainFault(error) ? CHAIN_SILENT : `there is no EIP-3009 token at ${asset}`]
  }
}
