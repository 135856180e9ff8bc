import type { Logger } from 'pino'
import { openAuthority } from '../activities/authority.ts'
import { openChain, openOffers, openWalletSignatures, receiptSigner } from '../activities/build-deps.ts'
import type { Config } from '../activities/config.ts'
import { openControls } from '../activities/controls.ts'
import { loadKeyRings } from '../activities/keys/key-ring.ts'
import { keepPublishing, publishKeys } from '../activities/keys/publish-keys.ts'
import { createChanges } from '../activities/store/changes.ts'
import { createDatabaseClock } from '../activities/store/clock.ts'
import { type ActivePause, listPauses } from '../activities/store/controls.ts'
import { createDatabase } from '../activities/store/db.ts'
import { findOperator } from '../activities/store/operators.ts'
import { createReceiptVerification } from '../activities/trust.ts'
import { createTemporalClient } from '../temporal/connection.ts'
import { ensurePayment } from '../temporal/payments.ts'
import { createPayoutGateway } from '../temporal/payouts.ts'
import { PAYOUTS_QUEUE } from '../temporal/queues.ts'
import { countPollers } from '../temporal/readiness.ts'
import { createDiscovery } from './discovery.ts'
import { createHealth } from './health.ts'
import { operations } from './operations/index.ts'
import { createTurnstile } from './pay/turnstile.ts'
import { createRateLimits } from './rate-limits.ts'
import type { RoadDeps } from './road.ts'

const ZERO = `0x${'0'.repeat(40)}`

/** What an API process answers with, what is paused, and how it ends. */
export type Api = { deps: RoadDeps; pauses(): Promise<ActivePause[]>; close(): Promise<void> }

/** Wires one API process; nothing connects before it is first used, so that the process starts while a dependency is down. */
export async function createApi(config: Config, log: Logger): Promise<Api> {
  const timeouts = { connectTimeoutMs: config.DEPENDENCY_TIMEOUT_MS, queryTimeoutMs: 1_200 }
  const { db, pool, close } = createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'agent-rails api',
    poolSize: config.DATABASE_POOL_SIZE,
    ...timeouts,
  })
  const changes = createChanges(config.DATABASE_URL)
  const temporal = createTemporalClient(config)
  const keys = loadKeyRings(config.SIGNING_KEYS_FILE)
  const { chain } = openChain(config)
  const wallets = openWalletSignatures(config)
  const environment = config.ENVIRONMENT
  const issuer = `${config.BASE_URL}/api/trust-contract`
  const pauses = () => listPauses(db)
  const refusedRecipients = new Set([
    ZERO,
    config.ASSET_CONTRACT_ADDRESS,
    config.PAYOUT_WALLET_ADDRESS,
    config.PAY_TO_ADDRESS,
    config.TREASURY_PRINCIPAL_ADDRESS,
    config.TREASURY_HOLDER_ADDRESS,
  ])
  const clock = createDatabaseClock(db)
  const payouts = createPayoutGateway({
    client: temporal.client,
    db,
    changes,
    config,
    environment,
    executeWaitMs: config.EXECUTE_WAIT_MS,
    executeLifeSecondsMin: config.EXECUTE_LIFE_MIN_S,
    refusedRecipients,
    chainUp: chain.isUp,
  })
  const acts = {
    payouts,
    authority: openAuthority({ db, config, keys, clock, wallets }),
    controls: openControls({ db, issuer, environment, signReceipt: receiptSigner(keys) }),
    receipts: createReceiptVerification(db, issuer),
    discovery: createDiscovery({ config, db, registry: () => operations, receiptKid: keys.receipt.active.kid }),
    health: createHealth({
      db,
      countPollers: () => countPollers(temporal.client, PAYOUTS_QUEUE, 1_000),
      chainUp: chain.isUp,
      pauses,
    }),
  }
  const publishing = await keepPublishing(() => publishKeys(db, keys), {
    everyMs: 2_000,
    warn: (error) => log.warn({ error: String(error) }, 'public keys are not registered yet'),
  })
  return {
    deps: {
      baseUrl: config.BASE_URL,
      db,
      changes,
      log,
      clock,
      limits: createRateLimits(pool, config),
      wallets,
      findOperator: (operatorId) => findOperator(db, operatorId),
      inTurn: createTurnstile(),
      offers: await openOffers(config, chain),
      ensurePayment: (paymentId) => ensurePayment(temporal.client, paymentId),
      chainHead: chain.head,
      context: (caller, callId, requestId) => ({ caller, callId, requestId, ...acts }),
      config,
    },
    pauses,
    close: async () => {
      publishing.stop()
      await changes.close()
      await temporal.close()
      await close()
    },
  }
}
