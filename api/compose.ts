import type { Logger } from 'pino'
import { openAuthority } from '../activities/authority.ts'
import {
  canaryOf,
  openChain,
  openPayoutFloor,
  openWalletSignatures,
  railOf,
  receiptSigner,
} from '../activities/build-deps.ts'
import type { Config } from '../activities/config.ts'
import { openControls } from '../activities/controls.ts'
import { openKeys } from '../activities/key-acts.ts'
import { loadKeyRings } from '../activities/keys/key-ring.ts'
import { keepPublishing, publishKeys } from '../activities/keys/publish-keys.ts'
import { openOperators } from '../activities/operator-list.ts'
import { openReconciliationDesk } from '../activities/reconciliation/desk.ts'
import { createSlots } from '../activities/slots.ts'
import { createChanges } from '../activities/store/changes.ts'
import { createDatabaseClock } from '../activities/store/clock.ts'
import { type ActivePause, listPauses } from '../activities/store/controls.ts'
import { createDatabase } from '../activities/store/db.ts'
import { readLanes } from '../activities/store/lane-health.ts'
import { findOperator } from '../activities/store/operators.ts'
import { createReceiptVerification } from '../activities/trust.ts'
import { createReservationGate } from '../temporal/canary.ts'
import { createTemporalClient } from '../temporal/connection.ts'
import { createPayoutGateway } from '../temporal/payouts.ts'
import { PAYOUTS_QUEUE } from '../temporal/queues.ts'
import { countPollers } from '../temporal/readiness.ts'
import { watchWorkflows } from '../temporal/reconciliation.ts'
import { limits } from '../workflows/domain/limits.ts'
import { operatorTokens } from './auth/operator-token.ts'
import { openAgentDesks } from './compose-agents.ts'
import { openTasks } from './compose-tasks.ts'
import { createDiscovery } from './discovery.ts'
import { createGauges } from './gauges.ts'
import { createHealth } from './health.ts'
import { operations } from './operations/index.ts'
import { createTurnstile } from './pay/turnstile.ts'
import { createQuotas } from './quotas.ts'
import { createRateLimits } from './rate-limits.ts'
import type { RoadDeps } from './road.ts'
import { laneGauges } from './surfaces/lane-gauges.ts'
import type { Gauges } from './surfaces/metrics.ts'

const registry = () => operations
const ZERO = `0x${'0'.repeat(40)}`

/** What an API process answers with, what operators watch, and how it ends. */
export type Api = { deps: RoadDeps; pauses(): Promise<ActivePause[]>; gauges: Gauges; close(): Promise<void> }

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
  const floor = openPayoutFloor(config, chain, log)
  const pauses = () => listPauses(db)
  const lanes = () => readLanes(db, config.LANE_JAM_AFTER_MS)
  const clock = createDatabaseClock(db)
  const payouts = createPayoutGateway({
    client,
    db,
    changes,
    config,
    environment: rail.environment,
    executeWaitMs: config.EXECUTE_WAIT_MS,
    executeLifeSecondsMin: rail.executeLifeSecondsMin,
    refusedRecipients: refusedRecipients(config),
    chainUp: chain.isUp,
    reservationGate: createReservationGate({ client, db, rail, floor, canary: canaryOf(config) }),
  })
  const working = { ...operating, config, keys, wallets, chain, client, changes, log }
  const { desks, paying, reviewing, close: closeTasks } = await openTasks(working)
  const agents = openAgentDesks({ ...operating, config, registry, reviewing, keys })
  const acts = {
    ...agents.acts,
    ...desks,
    payouts,
    authority: openAuthority({ db, config, keys, wallets }),
    controls: openControls(operating),
    keys: openKeys({ ...operating, keys, load: () => loadKeyRings(config.SIGNING_KEYS_FILE) }),
    operators: openOperators(operating),
    reconciliation: openReconciliationDesk({ ...operating, show: watchWorkflows(client).show }),
    receipts: createReceiptVerification(db, rail.issuer),
    discovery: createDiscovery({ config, db, registry, receipts: keys.receipt }),
    health: createHealth({
      db,
      countPollers: () => countPollers(client, PAYOUTS_QUEUE, 1_000),
      chainUp: chain.isUp,
      pauses,
      lanes,
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
      operators: { find: (operatorId) => findOperator(db, operatorId), verifyToken: tokensOf(config) },
      ...agents.lookups,
      verifyWebhook: desks.providers.providerOf,
      inTurn: createTurnstile(),
      ...paying,
      chainHead: chain.head,
      context: (call) => ({ ...call, ...acts }),
      config,
    },
    pauses,
    gauges: { ...createGauges(db, floor, config.PAYOUT_BALANCE_FLOOR_ATOMIC), ...laneGauges(lanes) },
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
const tokensOf = ({ OPERATOR_OIDC_ISSUER, OPERATOR_OIDC_AUDIENCE, OPERATOR_OIDC_SCOPE, BASE_URL }: Config) =>
  OPERATOR_OIDC_ISSUER === ''
    ? undefined
    : operatorTokens({
        issuer: OPERATOR_OIDC_ISSUER,
        audience: OPERATOR_OIDC_AUDIENCE || BASE_URL,
        scope: OPERATOR_OIDC_SCOPE,
      })
