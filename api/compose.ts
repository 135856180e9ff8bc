import type { Logger } from 'pino'
import { limits } from '#domain/core/limits.ts'
import { AUDIT_PACK_TYP } from '#domain/reviews/audit-pack.ts'
import { isSignedByAgent } from '../activities/agents/signatures.ts'
import type { Config } from '../activities/config/config.ts'
import { authorityOf, signerOf } from '../activities/container.ts'
import { createOutgoing } from '../activities/http/outgoing.ts'
import { loadProviderKeys } from '../activities/keys/provider-keys.ts'
import { keepPublishing, publishKeys } from '../activities/keys/publish-keys.ts'
import { createMpp } from '../activities/payments/mpp.ts'
import { openPayoutCallbacks } from '../activities/payouts/callbacks.ts'
import { canaryOf } from '../activities/payouts/canary-settings.ts'
import { openControls } from '../activities/payouts/controls.ts'
import { createSlots } from '../activities/runs/isolation/slots.ts'
import { signerProbe } from '../activities/signer/open.ts'
import { findCredential } from '../activities/store/agents/agent-credentials.ts'
import { isTrustedAgent } from '../activities/store/agents/agents.ts'
import { readGasWallets } from '../activities/store/gas-wallets/health.ts'
import { type ActivePause, listPauses } from '../activities/store/operators/controls.ts'
import { findSession } from '../activities/store/operators/operator-sessions.ts'
import { findOperator } from '../activities/store/operators/operators.ts'
import { createDatabaseClock } from '../activities/store/postgres/clock.ts'
import type { OpenDatabase } from '../activities/store/postgres/db.ts'
import { startTracing } from '../activities/tracing/start.ts'
import { notifyHarness } from '../temporal/harness.ts'
import { notifyAnswered, notifyInvited } from '../temporal/invitations.ts'
import { notifyRow, targetAges } from '../temporal/late-rows.ts'
import { notifyPayment } from '../temporal/payments.ts'
import { createPayoutGateway, wakePayout } from '../temporal/payouts.ts'
import { watchWorkflows } from '../temporal/reconciliation.ts'
import { notifyTask } from '../temporal/tasks.ts'
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
import { openAuthority } from './delegation/open.ts'
import { createGauges } from './health/gauges.ts'
import { createHealth } from './health/health.ts'
import type { Gauges } from './http/metrics.ts'
import { families, operations } from './operations/index.ts'
import { createContractViews } from './registry/contract-view.ts'
import { directoryDocument } from './registry/directory-document.ts'
import { createDiscovery } from './registry/discovery.ts'
import { createEnforcement } from './registry/enforcement.ts'
import { freeToolsOf } from './registry/free-tools.ts'
import { createHardening } from './registry/hardening.ts'
import { schemaDocuments } from './registry/schema-documents.ts'
import { CommercialLayer } from './services/accounts/commercial-layer.ts'
import { AccountControlsService } from './services/accounts/controls.ts'
import { HandshakeService } from './services/agents/handshake.ts'
import { identitiesOf } from './services/agents/identity.ts'
import { ProfileService } from './services/agents/profiles.ts'
import { RegistrationService, registrationBy } from './services/agents/registration.ts'
import { SigningService } from './services/agents/signing.ts'
import { Ap2Inspection } from './services/authority/ap2-inspection.ts'
import { WriteGate } from './services/authority/write-gate.ts'
import { CallbackService } from './services/callbacks/demo-receiver.ts'
import { CheckoutService } from './services/checkouts.ts'
import { openCommerceServices } from './services/commerce/open.ts'
import { openConsoleServices } from './services/console/open.ts'
import { CreditService } from './services/credit/credit.ts'
import type { PaymentDeps } from './services/credit/deps.ts'
import { PaymentAuthorityService } from './services/credit/payment-authority.ts'
import { PaymentService } from './services/credit/payments.ts'
import { ProductLinkService } from './services/credit/product-links.ts'
import { ProviderService } from './services/credit/provider-events.ts'
import { QuoteService } from './services/credit/quotes.ts'
import { UsageLedger } from './services/credit/usage-ledger.ts'
import { WalletService } from './services/credit/wallets.ts'
import { openDirectories } from './services/directories/open.ts'
import { openEvidence } from './services/evidence/open.ts'
import { openHarness } from './services/harness/open.ts'
import { InputService } from './services/inputs/uploads.ts'
import { openKeyService } from './services/keys/open.ts'
import { TrustListingService } from './services/listings/listings.ts'
import { LogService } from './services/log/log.ts'
import { openTaskServices } from './services/open-runs.ts'
import { OperatorService } from './services/operators/operators.ts'
import { AuthorityService } from './services/payouts/authority.ts'
import { PayoutService } from './services/payouts/payouts.ts'
import { refusedRecipients } from './services/payouts/refused-recipients.ts'
import { createReservationGate } from './services/payouts/reservation-gate.ts'
import { NextStepService } from './services/pilots/next-steps.ts'
import { PilotOffers } from './services/pilots/offers.ts'
import { openPilots } from './services/pilots/open.ts'
import { ActivationService } from './services/production/provider-activation.ts'
import { OutreachService } from './services/prospects/outreach.ts'
import { ProspectService } from './services/prospects/prospects.ts'
import { ReceiptService } from './services/receipts/verification.ts'
import { ReconciliationService } from './services/reconciliation/reconciliation.ts'
import { openResolver } from './services/resolver/open.ts'
import { AuditPackService } from './services/reviews/audit-pack.ts'
import { ReviewService } from './services/reviews/reviews.ts'
import { reviewSubjects } from './services/reviews/subjects.ts'
import { RuntimeRunService } from './services/runtime-runs.ts'
import { openTrustServices } from './services/trust/open.ts'
import { RESPONSE_PATH } from './shapes/pilots.ts'

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
  const services = openServices(adapters)
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

function openServices(adapters: Adapters): Services {
  const creditServices = openCreditServices(adapters)
  const { callbackHosts } = adapters.taskDeps
  const gate = new WriteGate({ ...adapters.receiptIssuer, registry: operations, callbackHosts })
  const tasks = openTaskServices({ ...adapters, gate }, creditServices)
  const operators = openOperatorServices(adapters)
  return {
    writeGate: gate,
    ...openPayoutServices(adapters),
    ...creditServices,
    ...openAgentServices(adapters),
    ...tasks,
    ...operators,
    runtimeRuns: new RuntimeRunService({
      ...adapters.taskDeps,
      ...operators,
      pilots: tasks.pilotRuns,
      sandbox: tasks.sandbox,
      gateway: adapters.taskGateway,
    }),
    ...openTrustServices(adapters),
    ...openPublicServices(adapters),
    ...openAuthority(adapters, operations),
    ...openResolver(adapters, freeToolsOf(operations)),
    ...openHarness({ ...adapters, notify: notifyHarness.bind(null, adapters.client) }),
    ...openDirectories(adapters, () => directoryDocument(operations, adapters.config.BASE_URL)),
    ...openPilots({
      ...adapters,
      ...adapters.receiptIssuer,
      responseUrl: adapters.config.BASE_URL + RESPONSE_PATH,
      notifyInvited: notifyInvited.bind(null, adapters.client),
      notifyAnswered: notifyAnswered.bind(null, adapters.client),
    }),
    ...openEvidence({
      ...adapters,
      ...adapters.receiptIssuer,
      proofs: creditServices.commerceProofs,
    }),
  }
}

function openPayoutServices(adapters: Adapters) {
  const { config, db, client, changes, chain, keys, wallets, rail, minimumBalance } = adapters
  const { callbackHosts } = adapters.taskDeps
  const reservationGate = createReservationGate({
    wakePayout: (record) => wakePayout(client, record),
    db,
    rail,
    minimumBalance,
    canary: canaryOf(config),
  })
  return {
    payouts: new PayoutService({
      gateway: createPayoutGateway({ client, db, changes, config }),
      db,
      changes,
      environment: rail.environment,
      executeWaitMs: config.EXECUTE_WAIT_MS,
      executeLifeSecondsMin: rail.executeLifeSecondsMin,
      refusedRecipients: refusedRecipients(config),
      chainUp: chain.isUp,
      wake: (payoutId) => notifyRow({ client, db }, 'payout', payoutId),
      reservationGate,
    }),
    authority: new AuthorityService({ db, config, keys, wallets }),
    payoutCallbacks: openPayoutCallbacks(db, callbackHosts),
  }
}

function openCreditServices(adapters: Adapters) {
  const { config, log, client, db, keys, wallets, offers, receiptIssuer, taskGateway } = adapters
  const providerKeys = loadProviderKeys(config.PROVIDER_WEBHOOK_KEYS_FILE)
  const deps: PaymentDeps = {
    ...receiptIssuer,
    authority: authorityOf(config, keys, wallets.verify),
    chain: adapters.chain,
    offers,
    fees: adapters.taskDeps.fees,
    tokens: adapters.tokens,
    uploadChecks: adapters.uploadChecks,
    payTo: config.PAY_TO_ADDRESS,
    mandateSeconds: config.CHALLENGE_TTL_S,
    providers: [...new Set(providerKeys.map(({ provider }) => provider))],
    notifyPayment: (paymentId) => notifyPayment(client, paymentId),
    notifyTask: (taskId) => notifyTask({ client, db }, taskId),
    advanceTask: taskGateway.advance,
  }
  const warn = (error: unknown) =>
    log.warn({ error: String(error) }, 'the sweep of the workers applies a stored provider event')
  return {
    quotes: new QuoteService(deps),
    payments: new PaymentService(deps),
    credit: new CreditService(deps),
    providers: new ProviderService({ ...deps, providerKeys, warn }),
    wallets: new WalletService(deps),
    commercialLayer: new CommercialLayer(deps),
    accountControls: new AccountControlsService(deps),
    authorities: new PaymentAuthorityService(deps),
    usage: new UsageLedger({ ...deps, samples: adapters.samples }),
    checkouts: new CheckoutService(deps),
    productLinks: new ProductLinkService({
      ...deps,
      sendOutgoing: createOutgoing(adapters.taskDeps.callbackHosts),
    }),
    pilotOffers: new PilotOffers({ ...deps, tokens: adapters.tokens, baseUrl: config.BASE_URL }),
    activations: new ActivationService(db),
    ap2: new Ap2Inspection(deps),
    prospects: new ProspectService(deps),
    nextSteps: new NextStepService(deps),
    outreach: new OutreachService({
      db,
      baseUrl: config.BASE_URL,
      responseUrl: config.BASE_URL + RESPONSE_PATH,
    }),
    listings: new TrustListingService({
      ...deps,
      receipts: new ReceiptService(db, receiptIssuer.issuer),
    }),
    ...openCommerceServices({
      ...deps,
      baseUrl: config.BASE_URL,
      packages: adapters.packages,
      keys: adapters.keys,
    }),
  }
}

function openAgentServices(adapters: Adapters) {
  const { config, db, keys, tokens, receiptIssuer, taskDeps } = adapters
  const agentDeps = {
    ...receiptIssuer,
    baseUrl: config.BASE_URL,
    tokens,
    callbackHosts: taskDeps.callbackHosts,
  }
  return {
    registrations: new RegistrationService({
      ...agentDeps,
      identities: identitiesOf(config, adapters),
    }),
    profiles: new ProfileService(agentDeps),
    handshakes: new HandshakeService(agentDeps),
    signing: new SigningService({ ...receiptIssuer, keys }),
    inputs: new InputService({ db, config }),
    callbacks: new CallbackService({ db, samples: adapters.samples }),
  }
}

/** The services for operators: reviews, pauses, keys, operators and reconciliation. */
function openOperatorServices(adapters: Adapters) {
  const { config, keys, client, receiptIssuer, taskDeps, taskGateway } = adapters
  const reviews = new ReviewService({
    ...receiptIssuer,
    subjects: reviewSubjects(taskDeps),
    wakeTask: taskGateway.wake,
    hosts: { base: config.BASE_URL, os: config.OS_URL },
  })
  return {
    reviews,
    auditPacks: new AuditPackService({ ...receiptIssuer, sign: signerOf(keys, AUDIT_PACK_TYP) }),
    ...openConsoleServices({
      ...adapters,
      ...receiptIssuer,
      ages: targetAges(config),
      reviews,
      tasks: taskDeps,
      gateway: taskGateway,
    }),
    controls: openControls(receiptIssuer),
    keys: openKeyService({ ...receiptIssuer, keys, config, client }),
    operators: new OperatorService(receiptIssuer),
    reconciliation: new ReconciliationService({
      ...receiptIssuer,
      show: watchWorkflows(client).show,
    }),
  }
}

/** The services that answer any caller: documents, health, and the verification of receipts. */
function openPublicServices({ config, db, client, chain, keys, rail }: Adapters) {
  return {
    receipts: new ReceiptService(db, rail.issuer),
    log: new LogService({ db, witnesses: config.LOG_WITNESSES }),
    enforcement: createEnforcement({ db, registry: operations }),
    contracts: createContractViews(db, operations),
    discovery: createDiscovery({
      config,
      db,
      receipts: keys.receipt,
      registry: operations,
      payoutOperations: families.payouts,
      schemaDocuments,
    }),
    hardening: createHardening({ db, config, registry: operations }),
    health: createHealth({
      db,
      client,
      askSigner: signerProbe(config),
      chainUp: chain.isUp,
      nodes: chain.nodes,
      pauses: () => listPauses(db),
      gasWallets: () => readGasWallets(db, config.GAS_WALLET_JAM_AFTER_MS),
    }),
  }
}

function pipelineDeps(adapters: Adapters, services: Services): PipelineDeps {
  const { config, log, db, pool, changes, client, chain, wallets, offers, tokens } = adapters
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
    limits: createRateLimits(pool, config),
    quotas: createQuotas(pool, config),
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
    notifyPayment: (paymentId) => notifyPayment(client, paymentId),
    services,
  }
}
