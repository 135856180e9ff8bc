import { type Hex, keccak256, parseSignature, serializeTransaction } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { z } from 'zod'
import type { GasAccount } from '../chain/gas-account.ts'
import { type DigestSigner, digestSigner } from '../chain/sign-digest.ts'
import { type Config, readJsonFile } from '../config/config.ts'
import type { SignerConfig } from '../config/signer-config.ts'
import { type KeyRings, loadKeyRings } from '../keys/key-ring.ts'
import { type ModuleReference, moduleReference } from '../keys/module-reference.ts'
import type { Signer } from '../payouts/deps.ts'
import { createPayoutSigner, signingPolicyOf } from '../payouts/signer.ts'
import { connectSigner } from './client.ts'
import { keysAnswer } from './protocol.ts'
import { openRemoteRings } from './remote-rings.ts'
import { openRemoteGasAccounts, openRemotePayoutSigner } from './remote-wallets.ts'

const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text as Hex)
const walletKey = z.union([privateKey, moduleReference])

/** The rings of the signer, or of the file where no signer is configured. */
export const openKeyRings = async (
  config: Pick<Config, 'SIGNER_SOCKET' | 'SIGNING_KEYS_FILE'>,
): Promise<KeyRings> =>
  config.SIGNER_SOCKET === ''
    ? loadKeyRings(config.SIGNING_KEYS_FILE)
    : openRemoteRings(config.SIGNER_SOCKET)

/** Asks the signer for its public keys and throws where it does not answer; keys in a file need no answer. */
export const signerProbe =
  ({ SIGNER_SOCKET: socket }: Pick<Config, 'SIGNER_SOCKET'>): (() => Promise<unknown>) =>
  async () =>
    socket === '' ? undefined : connectSigner(socket).call('keys', {}, keysAnswer)

/** The payout wallet of the signer, or of its file where no signer is configured. */
export const openPayoutSigner = async (config: Config): Promise<Signer> =>
  config.SIGNER_WALLETS_SOCKET === ''
    ? payoutSignerOfFile(config)
    : openRemotePayoutSigner({
        socket: config.SIGNER_WALLETS_SOCKET,
        asset: config.ASSET_CONTRACT_ADDRESS,
        dailyCapAtomic: config.SIGNER_DAILY_CAP_ATOMIC,
      })

/** The gas wallets of the signer, or of their file; none where neither is configured. */
export const openGasAccounts = async (
  config: Pick<Config, 'SIGNER_WALLETS_SOCKET' | 'GAS_WALLET_KEYS_FILE'>,
): Promise<GasAccount[]> =>
  config.SIGNER_WALLETS_SOCKET === ''
    ? gasAccountsOfFile(config)
    : openRemoteGasAccounts(config.SIGNER_WALLETS_SOCKET)

/** The key of a wallet, in memory or in a module; the address is lowercase. */
export type WalletKey = DigestSigner & { readonly address: Hex }

/** Opens the wallet of a key in a module. */
type OpenHeldWallet = (reference: ModuleReference) => Promise<WalletKey>

const onlyTheSigner: OpenHeldWallet = async () => {
  throw new Error('the key of a wallet is in a module, which only the signer opens')
}

type PayoutWallet = Pick<SignerConfig, 'PAYOUT_WALLET_KEY_FILE' | 'PAYOUT_WALLET_ADDRESS'>

/** The payout wallet; throws when the file holds or names the key of another address. */
export async function readPayoutWallet(
  config: PayoutWallet,
  openHeld: OpenHeldWallet = onlyTheSigner,
): Promise<WalletKey> {
  const key = readJsonFile(config.PAYOUT_WALLET_KEY_FILE, walletKey)
  const wallet = await openWallet(key, openHeld)
  if (wallet.address === config.PAYOUT_WALLET_ADDRESS) return wallet
  throw new Error(
    'PAYOUT_WALLET_KEY_FILE holds the key of another address than PAYOUT_WALLET_ADDRESS',
  )
}

/** Signs with the key of PAYOUT_WALLET_KEY_FILE what the rules allow. */
async function payoutSignerOfFile(
  config: Parameters<typeof signingPolicyOf>[0] & PayoutWallet,
): Promise<Signer> {
  const wallet = await readPayoutWallet(config)
  return createPayoutSigner(wallet, signingPolicyOf(config, wallet.address))
}

/** The gas wallets whose keys the file holds or names, none where no file is named; throws when it cannot be used. */
export async function gasAccountsOfFile(
  config: Pick<SignerConfig, 'GAS_WALLET_KEYS_FILE'>,
  openHeld: OpenHeldWallet = onlyTheSigner,
): Promise<GasAccount[]> {
  if (config.GAS_WALLET_KEYS_FILE === '') return []
  const keys = readJsonFile(config.GAS_WALLET_KEYS_FILE, z.array(walletKey).min(1))
  const wallets = await Promise.all(keys.map((key) => openWallet(key, openHeld)))
  return wallets.map(gasAccountOf)
}

const openWallet = async (
  key: z.output<typeof walletKey>,
  openHeld: OpenHeldWallet,
): Promise<WalletKey> =>
  typeof key === 'string'
    ? { address: privateKeyToAddress(key).toLowerCase() as Hex, ...digestSigner(key) }
    : openHeld(key)

const gasAccountOf = ({ address, sign }: WalletKey): GasAccount => ({
  address,
  signTransaction: async (transaction) => {
    const signature = await sign({ hash: keccak256(serializeTransaction(transaction)) })
    return serializeTransaction(transaction, parseSignature(signature))
  },
})
