import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Hex,
  keccak256,
  parseSignature,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
} from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { z } from 'zod'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { authorizationDigest } from '../chain/authorization.ts'
import type { GasAccount } from '../chain/gas-account.ts'
import { type DigestSigner, digestSigner } from '../chain/secp256k1.ts'
import { recoverSigner } from '../chain/wallet-signature.ts'
import { type Config, readJsonFile } from '../config/config.ts'
import type { SignerConfig } from '../config/signer-config.ts'
import {
  decodeBase64url,
  encodeBase64url,
  type SigningKey,
  verifySignature,
} from '../keys/compact.ts'
import {
  type KeyRing,
  type KeyRings,
  loadKeyRings,
  ofEachRing,
  type Ring,
  rereadableRings,
  ringAlgs,
  ringOf,
} from '../keys/key-ring.ts'
import { type ModuleReference, moduleReference } from '../keys/module-reference.ts'
import type { Signer } from '../payouts/deps.ts'
import { createPayoutSigner, signingPolicyOf } from '../payouts/signer.ts'
import type { SigningOrder } from '../payouts/signing-rules.ts'
import { authorizationOf } from '../payouts/transfer.ts'
import { connectSigner, type SignerConnection } from './client.ts'
import {
  gasAnswer,
  gasParams,
  type KeysAnswer,
  keysAnswer,
  orderParams,
  signAnswer,
  transferAnswer,
  walletsAnswer,
} from './protocol.ts'

/** How long a process that starts waits for its signer. */
const START_WITHIN_MS = 15_000

/** The rings of the signer at this socket; each signature is verified before it is used. Throws when no signer answers within 15 s. */
async function openRemoteRings(socket: string): Promise<KeyRings> {
  const connection = connectSigner(socket)
  const read = async () => ringsOf(connection, await connection.call('keys', {}, keysAnswer))
  return rereadableRings(await untilAnswered(read), read)
}

/** What a process asks its signer when it starts: again while no answer comes, for at most 15 s. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + START_WITHIN_MS
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(100)
    }
  }
}

function ringsOf(connection: SignerConnection, { rings }: KeysAnswer): KeyRings {
  return ofEachRing((ring) => remoteRing(connection, ring, rings[ring]))
}

function remoteRing(
  connection: SignerConnection,
  ring: Ring,
  entries: KeysAnswer['rings'][Ring],
): KeyRing {
  return ringOf(
    ring,
    entries.map(({ kid, state, public_jwk }) => ({
      state,
      key: remoteKey(connection, { ring, kid, publicJwk: public_jwk }),
    })),
  )
}

function remoteKey(
  connection: SignerConnection,
  { ring, kid, publicJwk }: { ring: Ring; kid: string; publicJwk: Record<string, string> },
): SigningKey {
  const alg = ringAlgs[ring]
  return {
    ring,
    kid,
    alg,
    publicJwk,
    sign: async (text, proof) => {
      const bytes = encodeBase64url(Buffer.from(text))
      const answer = await connection.call('sign', { kid, bytes, proof }, signAnswer)
      const signature = decodeBase64url(answer.signature)
      if (!verifySignature({ alg, publicJwk }, text, signature))
        throw new Error(`the signer answered with no signature of ${kid}`)
      return signature
    },
  }
}

type Settings = { socket: string; asset: Hex; dailyCapAtomic: bigint }

/** The payout wallet of the signer at this socket; each signature is verified before it is stored. */
async function openRemotePayoutSigner({
  socket,
  asset,
  dailyCapAtomic,
}: Settings): Promise<Signer> {
  const connection = connectSigner(socket)
  const { payout_wallet } = await walletsOf(connection)
  return {
    dailyCapAtomic,
    sign: async (order) => {
      const answer = await connection.call('sign_transfer', orderText(order), transferAnswer)
      if ('withheld' in answer) return answer
      const digest = authorizationDigest(asset, authorizationOf(order.transfer))
      if (recoverSigner(digest, answer.signature) !== payout_wallet)
        throw new Error('the signer answered with no signature of the payout wallet')
      return answer
    },
  }
}

/** Whose keys the signer holds. */
const walletsOf = (connection: SignerConnection) =>
  untilAnswered(() => connection.call('wallets', {}, walletsAnswer))

const orderText = ({ payout, transfer, inUse }: SigningOrder) =>
  orderParams.parse({ payout, transfer, in_use: inUse.toString() })

/** The gas wallets of the signer at this socket; each transaction is read again before it is stored. */
async function openRemoteGasAccounts(socket: string): Promise<GasAccount[]> {
  const connection = connectSigner(socket)
  const { gas_wallets } = await walletsOf(connection)
  return gas_wallets.map((address) => ({
    address,
    signTransaction: async (transaction) => {
      const { to, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
      const request = gasParams.parse({
        wallet: address,
        to: to.toLowerCase(),
        data,
        nonce: nonce.toString(),
        gas: gas.toString(),
        max_fee_per_gas: maxFeePerGas.toString(),
        max_priority_fee_per_gas: maxPriorityFeePerGas.toString(),
      })
      const { raw } = await connection.call('sign_gas_transaction', request, gasAnswer)
      await assertSigned(raw, { ...transaction, from: address })
      return raw
    },
  }))
}

/** Throws unless the raw bytes are this transaction with a signature of `from`. */
async function assertSigned(
  raw: Hex,
  asked: Parameters<GasAccount['signTransaction']>[0] & { from: Hex },
): Promise<void> {
  const serializedTransaction = raw as `0x02${string}`
  const { chainId, nonce = 0, to, data = '0x', ...read } = parseTransaction(serializedTransaction)
  const isAsked =
    chainId === CHAIN_ID &&
    nonce === asked.nonce &&
    to?.toLowerCase() === asked.to.toLowerCase() &&
    data === asked.data &&
    (read.value ?? 0n) === 0n &&
    read.gas === asked.gas &&
    read.maxFeePerGas === asked.maxFeePerGas
  const from = await recoverTransactionAddress({ serializedTransaction })
  if (!isAsked || from.toLowerCase() !== asked.from)
    throw new Error('the signer answered with another transaction')
}

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
