import { join } from 'node:path'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { keepSecret } from '../../activities/config/secret-file.ts'

/** One account of the local chain; the address is lowercase. */
type Account = { address: Address; private_key: Hex }

/** The service's own accounts on the local chain; all addresses differ, and none comes from a published mnemonic. */
export type ServiceAccounts = {
  tokenOwner: Account
  payoutWallet: Account
  gasWallets: Account[]
  payTo: Account
}

/** The parties outside the service that the demo plays. */
export type DemoAccounts = { treasury: { principal: Account; holder: Account }; agents: Account[] }

const GAS_WALLETS = 3
const AGENTS = 3

/** The service's accounts, made on the first start and kept under `DATA_DIR/keys`. */
export function serviceAccounts(dataDirectory: string): Promise<ServiceAccounts> {
  return keepSecret(join(dataDirectory, 'keys', 'chain-accounts.json'), () => ({
    tokenOwner: newAccount(),
    payoutWallet: newAccount(),
    gasWallets: Array.from({ length: GAS_WALLETS }, newAccount),
    payTo: newAccount(),
  }))
}

/** Three agents and the treasury's two wallets, all new. */
export function newDemoAccounts(): DemoAccounts {
  return {
    treasury: { principal: newAccount(), holder: newAccount() },
    agents: Array.from({ length: AGENTS }, newAccount),
  }
}

/** A new account with a random key. */
function newAccount(): Account {
  const privateKey = generatePrivateKey()
  return {
    address: privateKeyToAddress(privateKey).toLowerCase() as Address,
    private_key: privateKey,
  }
}
