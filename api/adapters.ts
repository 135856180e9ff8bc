import type { Logger } from 'pino'
import type { Config } from '../activities/config/config.ts'
import {
  authorityOf,
  openChain,
  openMinimumBalance,
  openOffers,
  openStore,
  openWalletSignatures,
  railOf,
  taskDepsOf,
} from '../activities/container.ts'
import { deriveTokens } from '../activities/keys/derived-tokens.ts'
import { loadProviderKeys } from '../activities/keys/provider-signature.ts'
import { loadTokenKeys } from '../activities/keys/token-keys.ts'
import { closePools, openPools } from '../activities/runs/isolation/pools.ts'
import { openPackageThreads } from '../activities/runs/package-threads.ts'
import { openKeyRings } from '../activities/signer/open.ts'
import { findKnownSecret } from '../activities/store/calls/known-secrets.ts'
import { createChanges } from '../activities/store/postgres/changes.ts'
import type { OpenDatabase } from '../activities/store/postgres/db.ts'
import { createTemporalClient } from '../temporal/connection.ts'
import { createTaskGateway, notifyTask } from '../temporal/tasks.ts'
import { notifyPayment } from '../temporal/workflow-starts.ts'

export type Adapters = Awaited<ReturnType<typeof openAdapters>>

/** The pool of an API process. Its timeouts bound how long a call waits for a Postgres that is down. */
const openOwn = (config: Config): OpenDatabase =>
  openStore(config, 'api', {
    connectTimeoutMs: config.DATABASE_TIMEOUT_MS,
    queryTimeoutMs: 1.2 * config.DATABASE_TIMEOUT_MS,
  })

/**
 * Opens Postgres, Temporal, the chain, the keys, and the child processes that check packages. A `shared` database is that of the
 * process, which closes it.
 */
export async function openAdapters(config: Config, log: Logger, shared?: OpenDatabase) {
  const database = shared ?? openOwn(config)
  const changes = createChanges(config.DATABASE_URL)
  const temporal = createTemporalClient(config)
  const { db } = database
  const { client } = temporal
  const { chain, findOutcome } = openChain(config)
  const keys = await openKeyRings(config)
  const wallets = openWalletSignatures(config)
  const packages = openPackageThreads()
  const pools = openPools(config)
  const providerKeys = loadProviderKeys(config.PROVIDER_WEBHOOK_KEYS_FILE)
  const gateway = createTaskGateway({ db, client, changes, config })
  return {
    ...taskDepsOf(config, keys, db),
    config,
    log,
    baseUrl: config.BASE_URL,
    osUrl: config.OS_URL,
    settleWaitMs: config.SETTLE_WAIT_MS,
    connections: database.pool,
    changes,
    client,
    gateway,
    chain,
    findOutcome,
    nodes: chain.nodes,
    keys,
    tokens: deriveTokens(loadTokenKeys(config.TOKEN_KEYS_FILE), findKnownSecret.bind(null, db)),
    wallets,
    authority: authorityOf(config, keys, wallets.verify),
    rail: railOf(config),
    payTo: config.PAY_TO_ADDRESS,
    mandateSeconds: config.CHALLENGE_TTL_S,
    providerKeys,
    providers: [...new Set(providerKeys.map(({ provider }) => provider))],
    notifyPayment: (paymentId: string) => notifyPayment(client, paymentId),
    notifyTask: (taskId: string) => notifyTask({ client, db }, taskId),
    advanceTask: gateway.advance,
    offers: await openOffers(config, chain),
    minimumBalance: openMinimumBalance(config, chain, log),
    packages,
    /** The processes with the small limits of public calls. */
    pool: pools.public,
    close: async () => {
      await Promise.all([packages.close(), closePools(pools), changes.close()])
      await temporal.close()
      if (shared === undefined) await database.close()
    },
  }
}
