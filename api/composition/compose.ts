import type { Logger } from 'pino'
import { limits } from '#domain/core/limits.ts'
import type { Config } from '../../activities/config/config.ts'
import {
  openChain,
  openMinimumBalance,
  openWalletSignatures,
  railOf,
  receiptSigner,
} from '../../activities/container.ts'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { keepPublishing, publishKeys } from '../../activities/keys/publish-keys.ts'
import { canaryOf } from '../../activities/payout/canary-settings.ts'
import { openControls } from '../../activities/payout/controls.ts'
import { createSlots } from '../../activities/run/isolation/slots.ts'
import { findOperator } from '../../activities/store/agents/operators.ts'
import { readGasWallets } from '../../activities/store/gas-wallets/health.ts'
import { type ActivePause, listPauses } from '../../activities/store/payouts/controls.ts'
import { createChanges } from '../../activities/store/postgres/changes.ts'
import { createDatabaseClock } from '../../activities/store/postgres/clock.ts'
import { createDatabase } from '../../activities/store/postgres/db.ts'
import { createTemporalClient } from '../../temporal/connection.ts'
import { createPayoutGateway, wakePayout } from '../../temporal/payouts.ts'
import { PAYOUTS_QUEUE } from '../../temporal/queues.ts'
import { countPollers } from '../../temporal/readiness.ts'
import { watchWorkflows } from '../../temporal/reconciliation.ts'
import { operatorTokens } from '../auth/operator-token.ts'
import type { PipelineDeps } from '../calls/deps.ts'
import { createKeyedQueue } from '../calls/keyed-queue.ts'
import { createQuotas } from '../calls/quotas.ts'
import { createRateLimits } from '../calls/rate-limits.ts'
import { gasWalletGauges } from '../health/gas-wallet-gauges.ts'
import { createGauges } from '../health/gauges.ts'
import { createHealth } from '../health/health.ts'
import type { Gauges } from '../http/metrics.ts'
import { families, operations } from '../operations/index.ts'
import { createDiscovery } from '../registry/discovery.ts'
import { openKeys } from '../services/keys/keys.ts'
import { openOperators } from '../services/operators/operators.ts'
import { openAuthority } from '../services/payouts/authority.ts'
import { openPayouts } from '../services/payouts/payouts.ts'
import { createReservationGate } from '../services/payouts/reservation-gate.ts'
import { createReceiptVerification } from '../services/receipts/verification.ts'
import { openReconciliationService } from '../services/reconciliation/reconciliation.ts'
import { openAgentServices } from './agents.ts'
import { schemaDocuments } from './schema-documents.ts'
import { openTasks } from './tasks.ts'

/** What the discovery documents print. */
const documents = {
  registry: operations,
  payoutOperations: families.payouts,
  schemaDocuments,
}
const ZERO = `0x${'0'.repeat(40)}`

/** What an API process answers with, what operators watch, and how it ends. */
export type Api = {
  deps: PipelineDeps
  pauses(): Promise<ActivePause[]>
  gauges: Gauges
  close(): Promise<void>
}

/** Wires one API process; nothing connects before it is first used, so that the process starts while a dependency is down. */
export async function createApi(config: Config, log: Logger): Promise<Api> {
  const { db, pool, close } = openDatabase(config)
  const changes = createChanges(config.DATABASE_URL)
  const { client, close: closeTemporal } = createTemporalClient(config)
  const keys = loadKeyRings(config.SIGNING_KEYS_FILE)
  const { chain } = openChain(config)
  const wallets = openWalletSignatures(config)
  const rail = railOf(config)
  const issuing = { rail, signReceipt: receiptSigner(keys) }
  const operating = { db, ...rail, signReceipt: issuing.signReceipt }
  const minimumBalance = openMinimumBalance(config, chain, log)
  const pauses = () => listPauses(db)
  const gasWallets = () => readGasWallets(db, config.GAS_WALLET_JAM_AFTER_MS)
  const clock = createDatabaseClock(db)
  const payouts = openPayouts({
    gateway: createPayoutGateway({ client, db, changes, config }),
    db,
    changes,
    environment: rail.environment,
    executeWaitMs: config.EXECUTE_WAIT_MS,
    executeLifeSecondsMin: rail.executeLifeSecondsMin,
    refusedRecipients: refusedRecipients(config),
    chainUp: chain.isUp,
    reservationGate: createReservationGate({
      wakePayout: (record) => wakePayout(client, record),
      db,
      rail,
      minimumBalance,
      canary: canaryOf(config),
    }),
  })
  const working = { ...operating, config, keys, wallets, chain, client, changes, log }
  const { services, paying, reviewing, close: closeTasks } = await openTasks(working)
  const agents = openAgentServices({ ...operating, config, registry: operations, reviewing, keys })
  const commands = {
    ...agents.commands,
    ...services,
    payouts,
    authority: openAuthority({ db, config, keys, wallets }),
    controls: openControls(operating),
    keys: openKeys({ ...operating, keys, load: () => loadKeyRings(config.SIGNING_KEYS_FILE) }),
    operators: openOperators(operating),
    reconciliation: openReconciliationService({ ...operating, show: watchWorkflows(client).show }),
    receipts: createReceiptVerification(db, rail.issuer),
    discovery: createDiscovery({ config, db, receipts: keys.receipt, ...documents }),
    health: createHealth({
      db,
      countPollers: () => countPollers(client, PAYOUTS_QUEUE, 1_000),
      chainUp: chain.isUp,
      pauses,
      gasWallets,
    }),
  }
  const publishing = await keepPublishing(() => publishKeys(db, keys), publishingOf(log))
  return {
    deps: {
      baseUrl: config.BASE_URL,
      osUrl: config.OS_URL,
      db,
      changes,
      log,
      clock,
      ...limitsOf(pool, config),
      wallets,
      operators: {
        find: (operatorId) => findOperator(db, operatorId),
        verifyToken: tokensOf(config),
      },
      ...agents.lookups,
      verifyWebhook: services.providers.providerOf,
      inQueue: createKeyedQueue(),
      ...paying,
      chainHead: chain.head,
      context: (call) => ({ ...call, ...commands }),
      config,
    },
    pauses,
    gauges: {
      ...createGauges(db, minimumBalance, config.PAYOUT_BALANCE_MIN_ATOMIC),
      ...gasWalletGauges(gasWallets),
    },
    close: async () => {
      publishing.stop()
      await Promise.all([closeTasks(), changes.close()])
      await closeTemporal()
      await close()
    },
  }
}

const publishingOf = (log: Logger): Parameters<typeof keepPublishing>[1] => ({
  everyMs: 2_000,
  warn: (error) => log.warn({ error: String(error) }, 'public keys are not registered yet'),
  refuse: (error) => {
    log.fatal({ error: error.message }, 'this process must not sign')
    process.exit(1)
  },
})

const limitsOf = (...of: Parameters<typeof createRateLimits>) => ({
  limits: createRateLimits(...of),
  quotas: createQuotas(...of),
  unknownCalls: createSlots(limits.unknownCallsAtOnce),
})

/** The timeouts bound how long a call hangs on a Postgres that is down. */
const openDatabase = (config: Config) =>
  createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'agent-rails api',
    poolSize: config.DATABASE_POOL_SIZE,
    connectTimeoutMs: config.DEPENDENCY_TIMEOUT_MS,
    queryTimeoutMs: 1_200,
  })

/** Addresses that are never paid: the zero address, the asset, and our own. */
const refusedRecipients = (config: Config): ReadonlySet<string> =>
  new Set([
    ZERO,
    config.ASSET_CONTRACT_ADDRESS,
    config.PAYOUT_WALLET_ADDRESS,
    config.PAY_TO_ADDRESS,
    config.TREASURY_PRINCIPAL_ADDRESS,
    config.TREASURY_HOLDER_ADDRESS,
  ])

/** Operators who come with an access token, where an issuer of them is configured. */
const tokensOf = ({
  OPERATOR_OIDC_ISSUER,
  OPERATOR_OIDC_AUDIENCE,
  OPERATOR_OIDC_SCOPE,
  BASE_URL,
}: Config) =>
  OPERATOR_OIDC_ISSUER === ''
    ? undefined
    : operatorTokens({
        issuer: OPERATOR_OIDC_ISSUER,
        audience: OPERATOR_OIDC_AUDIENCE || BASE_URL,
        scope: OPERATOR_OIDC_SCOPE,
      })
