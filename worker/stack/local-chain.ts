import { type Address, BaseError, ContractFunctionRevertedError, type Hex, parseEther } from 'viem'
import { knownAssets, publishedAccounts } from '../../activities/chain/start-checks.ts'
import { readSecret, writeSecret } from '../../activities/config/secret-file.ts'
import type { DemoAccounts, ServiceAccounts } from './accounts.ts'
import { compileDollarToken } from './compile-token.ts'
import { ensureEther, ensureToken, ensureTokens, localChainClient } from './token.ts'

const GAS_ETHER = parseEther('100')
const PAYOUT_WALLET_TOKENS = 10_000_000_000n
const AGENT_TOKENS = 100_000_000n

/** The chain to prepare, where the token's address and its compiled code are kept, and whom to fund. */
export type LocalChainSettings = {
  rpcUrl: string
  addressFile: string
  cache: string
  service: ServiceAccounts
  demo: DemoAccounts
  say: (text: string) => void
}

/** Deploys the token when it is not there and tops every wallet up; answers the token's address. */
export async function prepareLocalChain({
  rpcUrl,
  addressFile,
  cache,
  service,
  demo,
  say,
}: LocalChainSettings): Promise<Address> {
  const client = localChainClient(rpcUrl, service.tokenOwner.private_key)
  const known = readSecret<{ address: Address }>(addressFile)?.address
  const asset = await ensureToken(client, (): Hex => compileDollarToken(cache), known)
  refuseRealValue(asset, service, demo)
  if (asset !== known) writeSecret(addressFile, { address: asset })
  await ensureEther(client, service.tokenOwner.address, GAS_ETHER)
  for (const wallet of service.gasWallets) await ensureEther(client, wallet.address, GAS_ETHER)
  const holders = [
    { address: service.payoutWallet.address, least: PAYOUT_WALLET_TOKENS },
    ...demo.agents.map(({ address }) => ({ address, least: AGENT_TOKENS })),
  ]
  for (const { address, least } of holders)
    await ensureTokens(client, asset, address, least).catch((error: unknown) => {
      say(`token       ${address} keeps what it has: ${refusalOfToken(error)}`)
    })
  return asset
}

/** Why the token refused, such as a pause; any other error is thrown. */
function refusalOfToken(error: unknown): string {
  const reverted =
    error instanceof BaseError && error.walk((one) => one instanceof ContractFunctionRevertedError)
  if (!(reverted instanceof ContractFunctionRevertedError)) throw error
  return reverted.data?.errorName ?? reverted.shortMessage
}

/** Throws when a signature made on the local chain could be worth something elsewhere (payout.md, "The local chain"). */
export function refuseRealValue(
  asset: Address,
  service: ServiceAccounts,
  demo: DemoAccounts,
): void {
  if (knownAssets.includes(asset.toLowerCase()))
    throw new Error(`the local token has the address of a known asset, ${asset}`)
  const wallets = [service.tokenOwner, service.payoutWallet, service.payTo, ...service.gasWallets]
  const addresses = [...wallets, demo.treasury.principal, demo.treasury.holder, ...demo.agents].map(
    ({ address }) => address.toLowerCase(),
  )
  const published = addresses.find((address) => publishedAccounts.includes(address))
  if (published !== undefined)
    throw new Error(`${published} is an account of anvil's published mnemonic`)
  if (new Set(addresses).size !== addresses.length)
    throw new Error('two accounts of the local chain have the same address')
}
