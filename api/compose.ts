import type { Logger } from 'pino'
import { limits } from '#domain/core/limits.ts'
import { isSignedByAgent } from '../activities/agents/signatures.ts'
import type { Config } from '../activities/config/config.ts'
import { keepPublishing, publishKeys } from '../activities/keys/publish-keys.ts'
import { createMpp } from '../activities/payments/mpp.ts'
import { createSlots } from '../activities/runs/isolation/slots.ts'
import { findCredential } from '../activities/store/agents/agent-credentials.ts'
import { isTrustedAgent } from '../activities/store/agents/agents.ts'
import { type ActivePause, listPauses } from '../activities/store/operators/controls.ts'
import { findSession } from '../activities/store/operators/operator-sessions.ts'
import { findOperator } from '../activities/store/operators/operators.ts'
import { createDatabaseClock } from '../activities/store/postgres/clock.ts'
import type { OpenDatabase } from '../activities/store/postgres/db.ts'
import { startTracing } from '../activities/tracing/start.ts'
import { type Adapters, openAdapters } from './adapters.ts'
import { openAgentTokens } from './auth/agent-token.ts'
import { createAttempts } from './auth/attempts.ts'
import { operatorTokensOf } from './auth/operator-token.ts'
import { railsNamed } from './auth/rails.ts'
import { findTokenSubjects } from './auth/status-token.ts'
import { newWallets } from './auth/wallet-proof.ts'
import type { PipelineDeps } from './calls/deps.ts'
import { createQuotas, createRateLimits } from './calls/limits.ts'
import { createAttemptsAtOnce, createKeyedQueue } from './calls/queues.ts'
import type { Services } from './context.ts'
import { openDelegations } from './delegation/open.ts'
import { createGauges } from './health/gauges.ts'
import type { Gauges } from './http/metrics.ts'
import { families, operations } from './operations/index.ts'
import { directoryDocument } from './registry/directory-document.ts'
import { openRegistry } from './registry/open.ts'
import { registrationBy } from './services/agents/registration.ts'
import { openServices } from './services/open.ts'

/** One composed API process: its call pipeline, its pauses and metrics, and how it ends. */
export type Api = {
  deps: PipelineDeps
  pauses(): Promise<ActivePause[]>
  gauges: Gauges
  close(): Promise<void>
}

/** Composes one API process, over the pool of another program where one is given. Nothing connects before its first use, so the process can start while a dependency is down. */
export async function createApi(config: Config, log: Logger, shared?: OpenDatabase): Promise<Api> {
  const stopTracing = await startTracing({ config, service: 'api', log })
  const adapters = await openAdapters(config, log, shared)
  const { db, keys } = adapters
  const services = openAll(adapters)
  const publishing = await keepPublishing(() => publishKeys(db, keys), {
    everyMs: 2_000,
    warn: (error) => log.warn({ error: String(error) }, 'public keys are not registered yet'),
    refuse: (error) => {
      log.fatal({ error: error.message }, 'this process must not sign')
      process.exit(1)
    },
  })
  return {
    deps: pipelineDeps(adapters, services),
    pauses: () => listPauses(db),
    gauges: createGauges(adapters, services),
    close: async () => {
      publishing.stop()
      await adapters.close()
      await stopTracing()
    },
  }
}

function openAll(adapters: Adapters): Services {
  return {
    ...openServices(adapters, {
      operations,
      document: () => directoryDocument(operations, adapters.baseUrl),
    }),
    ...openRegistry(adapters, operations, families.payouts),
    ...openDelegations(adapters, operations),
  }
}

function pipelineDeps(adapters: Adapters, services: Services): PipelineDeps {
  const { config, log, db, connections, changes, chain, wallets, offers, tokens } = adapters
  return {
    config,
    baseUrl: config.BASE_URL,
    osUrl: config.OS_URL,
    log,
    db,
    changes,
    clock: createDatabaseClock(db),
    wallets,
    isNewWallet: newWallets(db),
    offers,
    mpp: createMpp({
      baseUrl: config.BASE_URL,
      secrets: tokens.challengeSecrets,
      requirements: offers.requirements,
    }),
    chainHead: chain.head,
    limits: createRateLimits(connections, config),
    quotas: createQuotas(connections, config),
    unknownCalls: createSlots(limits.unknownCallsAtOnce),
    attempts: createAttempts(db, config.LIMIT_FAILED_CREDENTIALS_PER_MINUTE),
    callerQueue: createKeyedQueue(),
    beginAttempt: createAttemptsAtOnce(),
    operators: {
      find: (operatorId) => findOperator(db, operatorId),
      findSession: (secret) => findSession(db, secret, tokens.sessionMacs),
      verifyToken: operatorTokensOf(config),
      secure: config.BASE_URL.startsWith('https:'),
    },
    agents: {
      findCredential: (credentialId) => findCredential(db, credentialId),
      isCredentialSecret: tokens.isCredentialSecret,
      verifyToken: openAgentTokens(config, db),
      findTokens: findTokenSubjects(db),
      railsNamed: (agentId, input) => railsNamed(db, agentId, input),
      isTrusted: (agentId) => isTrustedAgent(db, agentId),
      spokeFor: (agentId, text, signature) => isSignedByAgent(db, { agentId, text, signature }),
      registrationBy: (publicJwk) => registrationBy(db, publicJwk),
    },
    verifyWebhook: (signed) => services.providers.providerOf(signed),
    notifyPayment: adapters.notifyPayment,
    services,
  }
}
