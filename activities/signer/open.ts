import type { Hex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import type { GasAccount } from '../chain/gas-account.ts'
import { digestSigner } from '../chain/sign-digest.ts'
import { type Config, readJsonFile, type SignerConfig } from '../config/config.ts'
import { type KeyRings, loadKeyRings } from '../keys/key-ring.ts'
import type { Signer } from '../payout/deps.ts'
import { createPayoutSigner, signingPolicyOf } from '../payout/signer.ts'
import { openRemoteRings } from './remote-rings.ts'
import { openRemoteGasAccounts, openRemotePayoutSigner } from './remote-wallets.ts'

const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text as Hex)

/** The rings of the signer, or of the file where no signer is configured. */
export const openKeyRings = async (
  config: Pick<Config, 'SIGNER_SOCKET' | 'SIGNING_KEYS_FILE'>,
): Promise<KeyRings> =>
  config.SIGNER_SOCKET === ''
    ? loadKeyRings(config.SIGNING_KEYS_FILE)
    : openRemoteRings(config.SIGNER_SOCKET)

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

/** The payout wallet's key and account; throws when the file holds the key of another address. */
export function readPayoutWallet(
  config: Pick<SignerConfig, 'PAYOUT_WALLET_KEY_FILE' | 'PAYOUT_WALLET_ADDRESS'>,
): { key: Hex; account: PrivateKeyAccount } {
  const key = readJsonFile(config.PAYOUT_WALLET_KEY_FILE, privateKey)
  const account = privateKeyToAccount(key)
  if (account.address.toLowerCase() === config.PAYOUT_WALLET_ADDRESS) return { key, account }
  throw new Error(
    'PAYOUT_WALLET_KEY_FILE holds the key of another address than PAYOUT_WALLET_ADDRESS',
  )
}

/** Signs with the key in PAYOUT_WALLET_KEY_FILE what the rules allow. */
export function payoutSignerOfFile(
  config: Parameters<typeof signingPolicyOf>[0] & Parameters<typeof readPayoutWallet>[0],
): Signer {
  const { key, account } = readPayoutWallet(config)
  return createPayoutSigner(digestSigner(key), signingPolicyOf(config, account.address))
}

/** The gas wallets whose keys the file holds, none where no file is named; throws when it cannot be used. */
export function gasAccountsOfFile(
  config: Pick<SignerConfig, 'GAS_WALLET_KEYS_FILE'>,
): GasAccount[] {
  if (config.GAS_WALLET_KEYS_FILE === '') return []
  return readJsonFile(config.GAS_WALLET_KEYS_FILE, z.array(privateKey).min(1)).map((key) =>
    privateKeyToAccount(key),
  )
}
