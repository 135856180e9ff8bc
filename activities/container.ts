import type { FacilitatorClient } from '@x402/core/http'
import type { Logger } from 'pino'
import { refuse } from '#domain/core/errors.ts'
import { isDatedBack } from '#domain/receipts/dated-back.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { COMPLETION_TYP } from '#domain/runs/return-package.ts'
import { callbackHosts } from './callbacks/hosts.ts'
import { type Chain, createChain } from './chain/client.ts'
import { watchGas } from './chain/funds.ts'
import { createGasWalletQueue, type GasWalletQueue } from './chain/gas-wallet-queue.ts'
import { type FindOutcome, findOutcome as readOutcome } from './chain/outcome.ts'
import { type CheckTransfer, preflight } from './chain/preflight.ts'
import { refuseFaultyStart, type StartFacts } from './chain/start-checks.ts'
import { createWalletSignatures, type WalletSignatures } from './chain/wallet-signature.ts'
import type { Config } from './config/config.ts'
import { feesOf } from './config/fee-settings.ts'
import { modelNamed } from './config/model-settings.ts'
import type { MoneyDeps } from './credit/deps.ts'
import { signCompact } from './keys/compact.ts'
import type { KeyRings } from './keys/key-ring.ts'
import { readKeyStatus } from './keys/key-status.ts'
import { createIsOurs, type IsOurs } from './keys/own-receipts.ts'
import { publishKeys } from './keys/publish-keys.ts'
import { loadTrustAnchors } from './keys/trust-anchors.ts'
import { inProcessFacilitator, remoteFacilitator } from './payments/facilitator.ts'
import { createOffers, type Offers } from './payments/offers.ts'
import type { PaymentDeps } from './payments/payment.ts'
import { createSettler, type Settler } from './payments/settler.ts'
import type { PayoutAuthority } from './payouts/authorization.ts'
import { canaryOf } from './payouts/canary-settings.ts'
import type { Deps, Rail } from './payouts/deps.ts'
import {
  createMinimumBalance,
  type MinimumBalance,
  type MinimumBalanceSettings,
} from './payouts/minimum-balance.ts'
import { openGasAccounts, openKeyRings } from './signer/open.ts'
import type { ReceiptTyp } from './signer/ring-policy.ts'
import { LISTENERS, nameProcess } from './store/postgres/connections.ts'
import {
  createDatabase,
  type DatabaseSettings,
  type OpenDatabase,
  type Tx,
} from './store/postgres/db.ts'
import { ourSchema } from './store/postgres/migrate.ts'
import { checkSchema, watchSchema } from './store/postgres/schema-version.ts'
import type { ReceiptRow, ReceiptSigner, Signer } from './store/receipts/receipts.ts'
import type { TaskDeps } from './tasks/deps.ts'

/** Gas for one transferWithAuthorization with room to spare: measured 90,000 on the local token, 110,000 on USDC. */
export const TRANSFER_GAS = 200_000n

/** The one pool of a process. A connection of its own listens for changes. */
export const openStore = (
  { DATABASE_URL: url, DATABASE_CONNECTIONS: connections }: Config,
  program: string,
  timeouts: Pick<DatabaseSettings, 'connectTimeoutMs' | 'queryTimeoutMs'> = {},
): OpenDatabase =>
  createDatabase({
    url,
    applicationName: nameProcess(program, connections),
    poolSize: connections - LISTENERS,
    ...timeouts,
  })

/** What the activities of a worker share. */
export type OfWorker = {
  readonly config: Config
  readonly log: Logger
  readonly db: OpenDatabase['db']
}

/** The configured chain, and how to find the outcome of an authorization on it. */
export function openChain(config: Config) {
  const chain = createChain({
    rpcUrls: config.CHAIN_RPC_URL,
    confirmRpcUrls: config.CONFIRM_RPC_URL,
    timeoutMs: config.RPC_TIMEOUT_MS,
    pollMs: config.CHAIN_POLL_MS,
  })
  const asset = config.ASSET_CONTRACT_ADDRESS
  const findOutcome: FindOutcome = (authorization, sought) =>
    readOutcome(
      chain,
      { ...authorization, ...sought, asset },
      { confirmations: config.CONFIRMATIONS },
    )
  return { chain, findOutcome }
}

/** Throws when the schema of the data, the addresses, the chain or the asset forbid a start. */
export async function checkStart(config: Config, log: Logger): Promise<void> {
  await checkSchema(config.DATABASE_URL, ourSchema)
  await refuseFaultyStart(openChain(config).chain, await startFacts(config), (text) =>
    log.warn(text),
  )
}

/** Ends this process with one sentence and exit code 1, after what it has begun, once its database is for newer programs only. */
export function leaveNewerSchema(db: OpenDatabase['db'], log: Logger): void {
  watchSchema(db, ourSchema, ({ message }) => {
    log.error(message)
    process.exitCode = 1
    process.kill(process.pid, 'SIGTERM')
  })
}

/** The addresses of all roles in this process; gas wallets only if their keys are configured. */
export async function startFacts(config: Config): Promise<StartFacts> {
  const gasWallets = await openGasAccounts(config)
  return {
    environment: config.ENVIRONMENT,
    asset: config.ASSET_CONTRACT_ADDRESS,
    wallets: {
      'payout wallet': config.PAYOUT_WALLET_ADDRESS,
      'pay-to address': config.PAY_TO_ADDRESS,
      'treasury principal': config.TREASURY_PRINCIPAL_ADDRESS,
      'treasury holder': config.TREASURY_HOLDER_ADDRESS,
      ...Object.fromEntries(
        gasWallets.map(({ address }, index) => [`gas wallet ${index + 1}`, address]),
      ),
    },
  }
}

/** Wallet signatures, of accounts with a key and of contract wallets. */
export function openWalletSignatures(config: Config): WalletSignatures {
  return createWalletSignatures({ rpcUrls: config.CHAIN_RPC_URL, timeoutMs: config.RPC_TIMEOUT_MS })
}

/** The dependencies of the payout and payment activities; keys are read once. */
export async function openPayoutDeps(
  { config, log, db }: OfWorker,
  startCallback: Deps['startCallback'],
): Promise<{ payoutDeps: Deps; paymentDeps: PaymentDeps }> {
  const keys = await openKeyRings(config)
  const { chain, findOutcome } = openChain(config)
  const accounts = await openGasAccounts(config)
  const addresses = accounts.map(({ address }) => address)
  const gas = watchGas(chain.reader, addresses, config.CHAIN_CACHE_MS)
  const gasWalletQueue = createGasWalletQueue({
    db,
    view: chain.views[0],
    gas,
    accounts,
    log,
    feeBumpAfterMs: config.FEE_BUMP_AFTER_MS,
    jamAfterMs: config.GAS_WALLET_JAM_AFTER_MS,
  })
  const rail = railOf(config)
  const checkTransfer: CheckTransfer = (authorization, signature) =>
    preflight(
      chain,
      { asset: rail.asset, gas, transferGas: rail.transferGas },
      authorization,
      signature,
    )
  await publishKeys(db, keys)
  const payoutDeps: Deps = {
    db,
    log,
    rail,
    signReceipt: receiptSigner(keys),
    authority: authorityOf(config, keys, openWalletSignatures(config).verify),
    minimumBalance: openMinimumBalance(config, chain, log),
    canary: canaryOf(config),
    chain,
    preflight: checkTransfer,
    findOutcome,
    gasWalletQueue,
    startCallback,
  }
  const paymentDeps: PaymentDeps = {
    db,
    chain,
    findOutcome,
    settler: openSettler(config, chain, gasWalletQueue, checkTransfer),
    confirmWindowMs: rail.confirmWindowMs,
  }
  return { payoutDeps, paymentDeps }
}

/** The keys, anchors and wallets that verify mandates and their presentations. */
export const authorityOf = (
  config: Config,
  keys: KeyRings,
  verifyWalletMessage: WalletSignatures['verify'],
): PayoutAuthority => ({
  keys,
  anchors: loadTrustAnchors({
    authority: keys.authority,
    issuer: config.BASE_URL,
    path: config.TRUST_ANCHORS_FILE,
  }),
  origin: config.BASE_URL,
  treasuryHolder: config.TREASURY_HOLDER_ADDRESS,
  treasuryPrincipal: config.TREASURY_PRINCIPAL_ADDRESS,
  verifyWalletMessage,
})

/** The dependencies of a worker that verifies payments after their calls have ended. */
export async function openMoneyDeps(
  config: Config,
  { db, authority, signReceipt }: Pick<Deps, 'db' | 'authority' | 'signReceipt'>,
): Promise<MoneyDeps> {
  const { chain } = openChain(config)
  const { environment, issuer } = railOf(config)
  const offers = await openOffers(config, chain)
  return {
    db,
    authority,
    signReceipt,
    environment,
    issuer,
    chain,
    offers,
    payTo: config.PAY_TO_ADDRESS,
  }
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

function openSettler(
  config: Config,
  chain: Chain,
  gasWalletQueue: GasWalletQueue,
  checkTransfer: CheckTransfer,
): Settler {
  const facilitator = openFacilitator(config, chain, gasWalletQueue)
  return createSettler(
    config.X402_FACILITATOR_URL === ''
      ? { facilitator, preflight: checkTransfer }
      : { facilitator },
  )
}

function openFacilitator(
  config: Config,
  chain: Chain,
  gasWalletQueue?: GasWalletQueue,
): FacilitatorClient {
  if (config.X402_FACILITATOR_URL !== '') return remoteFacilitator(config.X402_FACILITATOR_URL)
  const settings = {
    reader: chain.reader,
    asset: config.ASSET_CONTRACT_ADDRESS,
    gas: TRANSFER_GAS,
    confirmationTimeoutMs: 2_000,
  }
  return inProcessFacilitator(
    gasWalletQueue === undefined ? settings : { ...settings, gasWalletQueue },
  )
}

/** Signs receipts with a key of the receipt ring that is active in the transaction. */
export function receiptSigner(keys: Pick<KeyRings, 'receipt'>): ReceiptSigner {
  const signing = signerOf(keys, RECEIPT_TYP)
  return async (tx) => Object.assign(await signing(tx), { assertOurs: assertOursIn(tx) })
}

/** Whether stored receipts are ours; one for the process, so that each signature is checked once. */
export const isOurs: IsOurs = createIsOurs()

/** The sequencer of the log sets a row aside that is not ours; what needs its place is repeated. */
const assertOursIn = (tx: Tx) => async (stored: readonly ReceiptRow[]) => {
  const ours = await Promise.all(stored.map((row) => isOurs(tx, row)))
  const index = ours.indexOf(false)
  if (index === -1) return
  throw refuse('unavailable', {
    detail: `the stored receipt ${stored[index]?.receipt_id} has no signature of ours and is about to be set aside`,
    next_action: 'Repeat the call.',
    retry_after_ms: 2_000,
  })
}

/** Signs claims under a `typ` with a key of the receipt ring that is active in the transaction. */
export function signerOf(
  keys: Pick<KeyRings, 'receipt'>,
  typ: ReceiptTyp,
): Signer<Record<string, unknown>> {
  return async (tx) => {
    const keyStatus = await readKeyStatus(tx, keys, ['receipt'])
    return async (payload, proof) => {
      const key = keyStatus.signer('receipt', issuedAtOf(typ, payload))
      return { jws: await signCompact(key, { typ, payload, proof }), kid: key.kid }
    }
  }
}

/** The time by which the key of an artifact is judged; undefined where its date is that of an older event. */
function issuedAtOf(typ: string, payload: Record<string, unknown>): number | undefined {
  const { iat } = payload
  return typeof iat !== 'number' || isDatedBack(typ, payload) ? undefined : iat
}

/** The minimum balance of the payout wallet. */
export function openMinimumBalance(
  config: Config,
  chain: MinimumBalanceSettings['chain'],
  log: MinimumBalanceSettings['log'],
): MinimumBalance {
  const { PAYOUT_BALANCE_MIN_ATOMIC: minimumAtomic, PAYOUT_WALLET_ADDRESS: wallet } = config
  return createMinimumBalance({
    minimumAtomic,
    wallet,
    asset: config.ASSET_CONTRACT_ADDRESS,
    chain,
    log,
  })
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

/** The dependencies of the task steps. The API uses the same ones if a decision and its transition are one transaction. */
export function taskDepsOf(config: Config, keys: KeyRings, db: TaskDeps['db']): TaskDeps {
  const { environment, issuer } = railOf(config)
  return {
    db,
    environment,
    issuer,
    signReceipt: receiptSigner(keys),
    signCompletion: signerOf(keys, COMPLETION_TYP),
    callbackHosts: callbackHosts(config),
    model: modelNamed(config),
    fees: feesOf(config),
    runsAtOnce: { agent: config.AGENT_RUNS_AT_ONCE, rail: config.RAIL_RUNS_AT_ONCE },
  }
}
