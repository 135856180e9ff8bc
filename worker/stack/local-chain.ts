import { type Address, type Hex, parseEther } from 'viem'
import type { DemoAccounts, ServiceAccounts } from './accounts.ts'
import { compileDollarToken } from './compile-token.ts'
import { readSecret, writeSecret } from './secret-file.ts'
import { ensureEther, ensureToken, ensureTokens, localChainClient } from './token.ts'

const GAS_ETHER = parseEther('100')
const PAYOUT_WALLET_TOKENS = 10_000_000_000n
const AGENT_TOKENS = 100_000_000n

/** Native USDC on Base and Base Sepolia: a signature made on the local chain must never name them. */
const KNOWN_ASSETS = ['0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', '0x036cbd53842c5426634e7929541ec2318f3dcf7e']

/** The ten accounts of anvil's published mnemonic, which anybody can sign for. */
const PUBLISHED_ACCOUNTS = [
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

/** The chain to prepare, where the token's address and its compiled code are kept, and whom to fund. */
export type LocalChainSettings = {
  rpcUrl: string
  addressFile: string
  cache: string
  service: ServiceAccounts
  demo: DemoAccounts
}

/** Deploys the token when it is not there and tops every wallet up; answers the token's address. */
export async function prepareLocalChain({
  rpcUrl,
  addressFile,
  cache,
  service,
  demo,
}: LocalChainSettings): Promise<Address> {
  const client = localChainClient(rpcUrl, service.tokenOwner.private_key)
  const known = readSecret<{ address: Address }>(addressFile)?.address
  const asset = await ensureToken(client, (): Hex => compileDollarToken(cache), known)
  refuseRealValue(asset, service, demo)
  if (asset !== known) writeSecret(addressFile, { address: asset })
  await ensureEther(client, service.tokenOwner.address, GAS_ETHER)
  for (const wallet of service.gasWallets) await ensureEther(client, wallet.address, GAS_ETHER)
  await ensureTokens(client, asset, service.payoutWallet.address, PAYOUT_WALLET_TOKENS)
  for (const agent of demo.agents) await ensureTokens(client, asset, agent.address, AGENT_TOKENS)
  return asset
}

/** Throws when a signature made on the local chain could be worth something elsewhere (payout.md, "The local chain"). */
export function refuseRealValue(asset: Address, service: ServiceAccounts, demo: DemoAccounts): void {
  if (KNOWN_ASSETS.includes(asset.toLowerCase()))
    throw new Error(`the local token has the address of a known asset, ${asset}`)
  const wallets = [service.tokenOwner, service.payoutWallet, service.payTo, ...service.gasWallets]
  const addresses = [...wallets, demo.treasury.principal, demo.treasury.holder, ...demo.agents].map(({ address }) =>
    address.toLowerCase(),
  )
  const published = addresses.find((address) => PUBLISHED_ACCOUNTS.includes(address))
  if (published !== undefined) throw new Error(`${published} is an account of anvil's published mnemonic`)
  if (new Set(addresses).size !== addresses.length)
    throw new Error('two accounts of the local chain have the same address')
}
