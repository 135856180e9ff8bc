import type { FacilitatorClient } from '@x402/core/http'
import type { Logger } from 'pino'
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { RECEIPT_TYP } from '../workflows/domain/receipt.ts'
import { COMPLETION_TYP } from '../workflows/domain/return-package.ts'
import type { PayoutAuthority } from './authorization.ts'
import { callbackHosts } from './callbacks/hosts.ts'
import type { Canary } from './canary.ts'
import type { TokenAuthorization } from './chain/authorization.ts'
import { type Chain, createChain } from './chain/client.ts'
import { watchGas } from './chain/funds.ts'
import { createLane, type SubmitterLane } from './chain/lane.ts'
import { findOutcome, type SeenIn } from './chain/outcome.ts'
import { preflight } from './chain/preflight.ts'
import { refuseFaultyStart, type StartFacts } from './chain/start-checks.ts'
import { createWalletSignatures, type WalletSignatures } from './chain/wallet-signature.ts'
import { type Config, readJsonFile } from './config.ts'
import type { Deps, Rail } from './deps.ts'
import { type Floor, type FloorSettings, openFloor } from './floor.ts'
import { signCompact } from './keys/compact.ts'
import { type KeyRings, loadKeyRings } from './keys/key-ring.ts'
import { publishKeys } from './keys/publish-keys.ts'
import { standingOf } from './keys/standing.ts'
import { loadTrustAnchors } from './keys/trust-anchors.ts'
import type { MoneyDeps } from './money/deps.ts'
import { createDatabase } from './store/db.ts'
import type { ReceiptSigner, Signer } from './store/receipts.ts'
import type { TaskDeps } from './tasks/deps.ts'
import { inProcessFacilitator, remoteFacilitator } from './x402/facilitator.ts'
import { createOffers, type Offers } from './x402/offers.ts'
import { createSettler, type Settler } from './x402/settler.ts'

/** Gas for one transferWithAuthorization with room to spare: measured 90,000 on the local token, 110,000 on USDC. */
export const TRANSFER_GAS = 200_000n

/** The chain with the two questions that everyone asks of it. */
export function openChain(config: Config) {
  const chain = createChain({
    rpcUrls: config.CHAIN_RPC_URL,
    confirmRpcUrls: config.CONFIRM_RPC_URL,
    timeoutMs: config.RPC_TIMEOUT_MS,
    pollMs: config.CHAIN_POLL_MS,
  })
  const asset = config.ASSET_CONTRACT_ADDRESS
  const outcome = (authorization: TokenAuthorization, fromBlock: bigint, seenIn?: SeenIn) =>
    findOutcome(chain, { ...authorization, asset, fromBlock, seenIn }, { confirmations: config.CONFIRMATIONS })
  return { chain, findOutcome: outcome }
}

/** Throws when the addresses, the chain or the asset forbid a start (payout.md, "The local chain" and "Price gate"). */
export async function checkStart(config: Config, log: Logger): Promise<void> {
  await refuseFaultyStart(openChain(config).chain, startFacts(config), (text) => log.warn(text))
}

/** The addresses of every role that this process knows; gas wallets only where their keys are configured. */
export function startFacts(config: Config): StartFacts {
  const gasWallets = gasAccounts(config)
  return {
    environment: config.ENVIRONMENT,
    asset: config.ASSET_CONTRACT_ADDRESS,
    wallets: {
      'payout wallet': config.PAYOUT_WALLET_ADDRESS,
      'pay-to address': config.PAY_TO_ADDRESS,
      'treasury principal': config.TREASURY_PRINCIPAL_ADDRESS,
      'treasury holder': config.TREASURY_HOLDER_ADDRESS,
      ...Object.fromEntries(gasWallets.map(({ address }, index) => [`gas wallet ${index + 1}`, address])),
    },
  }
}

/** Wallet signatures, of accounts with a key and of contract wallets. */
export function openWalletSignatures(config: Config): WalletSignatures {
  return createWalletSignatures({ rpcUrls: config.CHAIN_RPC_URL, timeoutMs: config.RPC_TIMEOUT_MS })
}

/** Connects one worker's activities to the world; keys are read once. */
export async function buildDeps(config: Config, log: Logger): Promise<{ deps: Deps; close(): Promise<void> }> {
  const { db, close } = createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'agent-rails worker',
    poolSize: config.DATABASE_POOL_SIZE,
  })
  const keys = loadKeyRings(config.SIGNING_KEYS_FILE)
  const { chain, findOutcome: outcome } = openChain(config)
  const accounts = gasAccounts(config)
  const addresses = accounts.map(({ address }) => address)
  const gas = watchGas(chain.reader, addresses, config.CHAIN_CACHE_MS)
  const times = { feeBumpAfterMs: config.FEE_BUMP_AFTER_MS, jamAfterMs: config.LANE_JAM_AFTER_MS }
  const lane = createLane({ db, reader: chain.reader, gas, accounts, log, ...times })
  const rail = railOf(config)
  const looks = { asset: rail.asset, gas, transferGas: rail.transferGas }
  const check = (authorization: TokenAuthorization, signature: `0x${string}`) =>
    preflight(chain, looks, authorization, signature)
  await publishKeys(db, keys)
  const deps: Deps = {
    db,
    log,
    rail,
    signReceipt: receiptSigner(keys),
    authority: authorityOf(config, keys, openWalletSignatures(config).verify),
    floor: openPayoutFloor(config, chain, log),
    canary: canaryOf(config),
    chain,
    preflight: check,
    findOutcome: outcome,
    lane,
    settler: openSettler(config, chain, lane, check),
  }
  return { deps, close }
}

/** What mandates and their presentations are judged by. */
export const authorityOf = (
  config: Config,
  keys: KeyRings,
  verifyWalletMessage: WalletSignatures['verify'],
): PayoutAuthority => ({
  keys,
  anchors: loadTrustAnchors({ authority: keys.authority, issuer: config.BASE_URL, path: config.TRUST_ANCHORS_FILE }),
  origin: config.BASE_URL,
  treasuryHolder: config.TREASURY_HOLDER_ADDRESS,
  treasuryPrincipal: config.TREASURY_PRINCIPAL_ADDRESS,
  verifyWalletMessage,
})

/** What a worker needs to confirm payments that nobody asks for any more. */
export async function openMoneyDeps(
  config: Config,
  { db, authority, signReceipt }: Pick<Deps, 'db' | 'authority' | 'signReceipt'>,
): Promise<MoneyDeps> {
  const { chain } = openChain(config)
  const { environment, issuer } = railOf(config)
  const offers = await openOffers(config, chain)
  return { db, authority, signReceipt, environment, issuer, chain, offers, payTo: config.PAY_TO_ADDRESS }
}

/** The x402 offers of the price gate; verifying asks the chain, or the remote facilitator where one is configured. */
export function openOffers(config: Config, chain: Chain): Promise<Offers> {
  return createOffers({
    baseUrl: config.BASE_URL,
    asset: config.ASSET_CONTRACT_ADDRESS,
    payTo: config.PAY_TO_ADDRESS,
    facilitator: openFacilitator(config, chain),
    maxTimeoutSeconds: config.X402_MAX_TIMEOUT_S,
    minRemainingSeconds: config.X402_MIN_REMAINING_S,
  })
}

function openSettler(config: Config, chain: Chain, lane: SubmitterLane, check: Deps['preflight']): Settler {
  const facilitator = openFacilitator(config, chain, lane)
  return createSettler(config.X402_FACILITATOR_URL === '' ? { facilitator, preflight: check } : { facilitator })
}

function openFacilitator(config: Config, chain: Chain, lane?: SubmitterLane): FacilitatorClient {
  if (config.X402_FACILITATOR_URL !== '') return remoteFacilitator(config.X402_FACILITATOR_URL)
  const settings = {
    reader: chain.reader,
    asset: config.ASSET_CONTRACT_ADDRESS,
    gas: TRANSFER_GAS,
    confirmationTimeoutMs: 2_000,
  }
  return inProcessFacilitator(lane === undefined ? settings : { ...settings, lane })
}

/** Signs receipts by the receipt ring, with a key that stands active in the transaction. */
export function receiptSigner(keys: Pick<KeyRings, 'receipt'>): ReceiptSigner {
  return signerOf(keys, RECEIPT_TYP)
}

/** Signs claims by the receipt ring under a `typ`, with a key that stands active in the transaction. */
export function signerOf(keys: Pick<KeyRings, 'receipt'>, typ: string): Signer<Record<string, unknown>> {
  return async (tx) => {
    const standing = await standingOf(tx, keys, ['receipt'])
    return (payload) => {
      const key = standing.signer('receipt')
      return { jws: signCompact(key, { typ, payload }), kid: key.kid }
    }
  }
}

/** The balance floor of the payout wallet. */
export function openPayoutFloor(config: Config, chain: FloorSettings['chain'], log: FloorSettings['log']): Floor {
  const { PAYOUT_BALANCE_FLOOR_ATOMIC: floorAtomic, PAYOUT_WALLET_ADDRESS: wallet } = config
  return openFloor({ floorAtomic, wallet, asset: config.ASSET_CONTRACT_ADDRESS, chain, log })
}

/** The configured canary; undefined where none is. */
export function canaryOf(config: Config): Canary | undefined {
  const { CANARY_RECIPIENT: recipient, CANARY_AMOUNT_ATOMIC: amountAtomic, CANARY_LIFE_S: lifeSeconds } = config
  return recipient === '' ? undefined : { recipient, amountAtomic, lifeSeconds }
}

/** The facts of the rail. */
export function railOf(config: Config): Rail {
  return {
    asset: config.ASSET_CONTRACT_ADDRESS,
    payoutWallet: config.PAYOUT_WALLET_ADDRESS,
    environment: config.ENVIRONMENT,
    issuer: `${config.BASE_URL}/api/trust-contract`,
    createdLifeMs: config.CREATED_LIFE_MS,
    executeLifeSecondsMin: config.EXECUTE_LIFE_MIN_S,
    confirmWindowMs: config.CONFIRM_WINDOW_MS,
    transferGas: TRANSFER_GAS,
  }
}

/** The gas wallets whose keys are configured, none where no file is named; throws when the file cannot be used. */
export function gasAccounts(config: Config): LocalAccount[] {
  if (config.GAS_WALLET_KEYS_FILE === '') return []
  const keys = readJsonFile(config.GAS_WALLET_KEYS_FILE, z.array(z.string().regex(/^0x[0-9a-fA-F]{64}$/)).min(1))
  return keys.map((key) => privateKeyToAccount(key as `0x${string}`))
}

/** What the steps of tasks touch of the world; the API moves tasks with the same where a decision and its move are one. */
export function taskDepsOf(config: Config, keys: KeyRings, db: TaskDeps['db']): TaskDeps {
  const { environment, issuer } = railOf(config)
  return {
    db,
    environment,
    issuer,
    signReceipt: receiptSigner(keys),
    signCompletion: signerOf(keys, COMPLETION_TYP),
    callbackHosts: callbackHosts(config),
    runsAtOnce: { agent: config.AGENT_RUNS_AT_ONCE, rail: config.RAIL_RUNS_AT_ONCE },
  }
}
