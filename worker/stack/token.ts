import {
  type Address,
  type Chain,
  type Client,
  createTestClient,
  defineChain,
  type Hex,
  http,
  type PublicActions,
  parseAbi,
  parseEther,
  publicActions,
  type TestActions,
  type Transport,
  type WalletActions,
  walletActions,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { CHAIN_ID } from '#domain/core/limits.ts'

/** What the owner of the local dollar token may do in addition to ERC-20 and EIP-3009. */
export const dollarTokenAbi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function mint(address to, uint256 value)',
  'function pause()',
  'function unpause()',
  'function blacklist(address account)',
  'function unBlacklist(address account)',
  'error EnforcedPause()',
  'error Blacklisted(address account)',
])

const OWNER_ETH = parseEther('1000')

type Actions = TestActions &
  PublicActions<Transport, Chain> &
  WalletActions<Chain, PrivateKeyAccount>

/** A viem client for the local chain that reads, sends as the token's owner and has anvil's own methods. */
export type LocalChainClient = Client<Transport, Chain, PrivateKeyAccount, undefined, Actions>

const localChain = defineChain({
  id: CHAIN_ID,
  name: 'local',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

/** Makes the client; nothing is asked of the chain yet. */
export function localChainClient(rpcUrl: string, ownerKey: Hex): LocalChainClient {
  const transport = http(rpcUrl, { retryCount: 5, timeout: 5_000 })
  const account = privateKeyToAccount(ownerKey)
  return createTestClient({
    mode: 'anvil',
    chain: localChain as Chain,
    transport,
    account,
    pollingInterval: 50,
  })
    .extend(publicActions)
    .extend(walletActions)
}

/** Deploys the token as the client's account and answers its address; `known` is kept when its code is still there. */
export async function ensureToken(
  client: LocalChainClient,
  bytecode: () => Hex,
  known: Address | undefined,
): Promise<Address> {
  if (known !== undefined && (await client.getCode({ address: known })) !== undefined) return known
  // To compile blocks this process and its guarded port for seconds, so it comes before the first connection.
  const code = bytecode()
  await client.setBalance({ address: client.account.address, value: OWNER_ETH })
  const hash = await client.deployContract({ abi: dollarTokenAbi, bytecode: code })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error(`the token was not deployed by ${hash}`)
  return contractAddress.toLowerCase() as Address
}

/** Raises an account's ether (wei) to at least `least`. */
export async function ensureEther(
  client: LocalChainClient,
  address: Address,
  least: bigint,
): Promise<void> {
  if ((await client.getBalance({ address })) < least)
    await client.setBalance({ address, value: least })
}

/** Raises an account's tokens (atomic units) to at least `least`, by minting what is missing. */
export async function ensureTokens(
  client: LocalChainClient,
  asset: Address,
  address: Address,
  least: bigint,
): Promise<void> {
  const held = await client.readContract({
    address: asset,
    abi: dollarTokenAbi,
    functionName: 'balanceOf',
    args: [address],
  })
  if (held < least) await mintTokens(client, asset, address, least - held)
}

/** Mints atomic units to an account and waits until they are there. */
export async function mintTokens(
  client: LocalChainClient,
  asset: Address,
  to: Address,
  atomic: bigint,
): Promise<void> {
  const hash = await client.writeContract({
    address: asset,
    abi: dollarTokenAbi,
    functionName: 'mint',
    args: [to, atomic],
  })
  await client.waitForTransactionReceipt({ hash })
}
