import type { Logger } from 'pino'
import type { Config } from '../activities/config/config.ts'
import {
  openChain,
  openMinimumBalance,
  openOffers,
  openStore,
  openWalletSignatures,
  railOf,
  receiptSigner,
  taskDepsOf,
} from '../activities/container.ts'
import { deriveTokens } from '../activities/keys/derived-tokens.ts'
import { loadTokenKeys } from '../activities/keys/token-keys.ts'
import { closePools, openPools } from '../activities/runs/isolation/pools.ts'
import { openPackageThreads } from '../activities/runs/package-threads.ts'
import { openKeyRings } from '../activities/signer/open.ts'
import { findKnownSecret } from '../activities/store/calls/known-secrets.ts'
import { createChanges } from '../activities/store/postgres/changes.ts'
import type { OpenDatabase } from '../activities/store/postgres/db.ts'
import { createTemporalClient } from '../temporal/connection.ts'
import { createTaskGateway } from '../temporal/tasks.ts'
import { startUploadCheck } from '../temporal/upload-checks.ts'
import { UploadChecks } from './services/inputs/upload-checks.ts'
import { Samples } from './services/receipts/sample.ts'

export type Adapters = Awaited<ReturnType<typeof openAdapters>>

/** The pool of an API process. Its timeouts bound how long a call waits for a Postgres that is down. */
const openOwn = (config: Config): OpenDatabase =>
  openStore(config, 'api', {
    connectTimeoutMs: config.DATABASE_TIMEOUT_MS,
    queryTimeoutMs: 1.2 * config.DATABASE_TIMEOUT_MS,
  })

/**
 * Opens Postgres, Temporal, the chain, the keys, and the child processes that check packages. A `shared` pool is that of the
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
  const rail = railOf(config)
  const packages = openPackageThreads()
  const pools = openPools(config)
  return {
    config,
    log,
    db,
    pool: database.pool,
    changes,
    client,
    chain,
    findOutcome,
    nodes: chain.nodes,
    keys,
    tokens: deriveTokens(loadTokenKeys(config.TOKEN_KEYS_FILE), findKnownSecret.bind(null, db)),
    wallets,
    rail,
    /** What a command needs to write a receipt. */
    receiptIssuer: {
      db,
      issuer: rail.issuer,
      environment: rail.environment,
      signReceipt: receiptSigner(keys),
    },
    offers: await openOffers(config, chain),
    minimumBalance: openMinimumBalance(config, chain, log),
    samples: new Samples({ ...rail, db, keys }),
    taskDeps: taskDepsOf(config, keys, db),
    taskGateway: createTaskGateway({ db, client, changes, config }),
    uploadChecks: new UploadChecks({
      db,
      changes,
      start: (check, trusted) => startUploadCheck(client, check, trusted),
    }),
    packages,
    publicPool: pools.public,
    close: async () => {
      await Promise.all([packages.close(), closePools(pools), changes.close()])
      await temporal.close()
      if (shared === undefined) await database.close()
    },
  }
}
