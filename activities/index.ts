import { STATEMENT_TYP } from '#domain/receipts/statement.ts'
import type { CallbackSteps } from '../workflows/callbacks/activities.ts'
import type { DirectorySteps } from '../workflows/directories/activities.ts'
import type { CounterpartSteps, HarnessSteps } from '../workflows/harness/activities.ts'
import type { KeyRotationSteps } from '../workflows/key-rotation/activities.ts'
import type { PaymentSteps } from '../workflows/payments/activities.ts'
import type { PayoutSteps, SigningSteps, TransferSteps } from '../workflows/payouts/activities.ts'
import type { ModelSteps } from '../workflows/runs/activities.ts'
import { createCallbackSteps } from './callbacks/callback.ts'
import { readCallbackFacts } from './callbacks/facts.ts'
import { callbackHosts } from './callbacks/hosts.ts'
import { openLedger } from './chain/ledger.ts'
import type { Config } from './config/config.ts'
import { type OfWorker, openChain, openPayoutDeps, signerOf, taskDepsOf } from './container.ts'
import { createDirectorySteps } from './directories/steps.ts'
import { createCounterpartSteps, createHarnessSteps } from './harness/steps.ts'
import { createOutgoing } from './http/outgoing.ts'
import { createInvitationSteps } from './invitation/steps.ts'
import { createKeyRotationSteps } from './key-rotation/steps.ts'
import { publishKeys } from './keys/publish-keys.ts'
import { loadTokenKeys } from './keys/token-keys.ts'
import { createModelSteps, openModel } from './model/model.ts'
import { createPaymentSteps } from './payments/payment.ts'
import type { Deps } from './payouts/deps.ts'
import { createPayoutSteps } from './payouts/payout.ts'
import { createSigningSteps, createTransferSteps } from './payouts/transfer.ts'
import type { WorkflowWatch } from './reconciliation/deps.ts'
import { createReconciliationSteps } from './reconciliation/steps.ts'
import { createUploadCheckSteps } from './runs/check-upload.ts'
import { createDraftSteps } from './runs/drafts.ts'
import { closePools, openPools } from './runs/isolation/pools.ts'
import { createRunSteps } from './runs/run.ts'
import { openKeyMaker } from './signer/key-maker.ts'
import { openKeyRings, openPayoutSigner } from './signer/open.ts'
import { createTaskSteps } from './tasks/task.ts'

/**
 * The activities of payouts and transfers. Where this process `signs` as well, a transfer is signed in the step that reserves it.
 */
export async function createActivities(
  worker: OfWorker,
  { signs, startCallback }: { signs: boolean } & Pick<Deps, 'startCallback'>,
) {
  const { config } = worker
  const { payoutDeps, paymentDeps } = await openPayoutDeps(worker, startCallback)
  const signer = signs ? await openPayoutSigner(config) : undefined
  const payouts: PayoutSteps & KeyRotationSteps = {
    ...createPayoutSteps(payoutDeps, signer),
    ...(await openKeyRotationSteps(config, payoutDeps)),
  }
  const transfers: TransferSteps & PaymentSteps = {
    ...createTransferSteps(payoutDeps),
    ...createPaymentSteps(paymentDeps),
  }
  return { deps: payoutDeps, payouts, transfers }
}

/** The steps that rotate the service's own keys; the private ones stay with the signer. */
async function openKeyRotationSteps(
  config: Config,
  { db, rail, signReceipt }: Deps,
): Promise<KeyRotationSteps> {
  const { issuer, environment } = rail
  const keys = await openKeyRings(config)
  const maker = openKeyMaker(config)
  return createKeyRotationSteps({ db, keys, issuer, environment, signReceipt, maker })
}

/** The steps of reconciliation; they hold no key but the receipt ring's, for the statements. */
export async function createReconciliationActivities(
  config: Config,
  deps: Deps,
  watch: WorkflowWatch,
) {
  const { db, log, rail, findOutcome, signReceipt } = deps
  const keys = await openKeyRings(config)
  const [own, second = own] = openChain(config).chain.views
  return createReconciliationSteps({
    db,
    log,
    rail,
    signReceipt,
    payTo: config.PAY_TO_ADDRESS,
    ledger: openLedger(second, rail.asset),
    findOutcome,
    watch,
    signStatement: signerOf(keys, STATEMENT_TYP),
    settleMs: config.RECONCILE_SETTLE_MS,
  })
}

/** The short steps of tasks and the steps of runs. */
export async function createTaskActivities({ config, db }: Omit<OfWorker, 'log'>) {
  const keys = await openKeyRings(config)
  await publishKeys(db, keys)
  const deps = taskDepsOf(config, keys, db)
  const pools = openPools(config)
  return {
    activities: {
      ...createTaskSteps(deps),
      ...createRunSteps(deps, pools),
      ...createDraftSteps({ db, pools }),
      ...createUploadCheckSteps({ db, pools }),
      ...createInvitationSteps({ db }),
    },
    close: () => closePools(pools),
  }
}

/** The steps of tests, which reach the service as anyone does; the token keys make the keys of their sandbox agents. */
export function createHarnessActivities({ config, db }: Omit<OfWorker, 'log'>): HarnessSteps {
  const { BASE_URL: baseUrl, OS_URL: osUrl, HARNESS_BASE_URL, HARNESS_OS_URL } = config
  const origins = { base: HARNESS_BASE_URL || baseUrl, os: HARNESS_OS_URL || osUrl }
  const tokenKeys = loadTokenKeys(config.TOKEN_KEYS_FILE)
  return createHarnessSteps({ db, baseUrl, origins, tokenKeys })
}

/** Only the signing activity. It needs the key of the payout wallet and the reserved row. */
export async function createSigningActivities({
  config,
  db,
}: Omit<OfWorker, 'log'>): Promise<SigningSteps> {
  return createSigningSteps({ db }, await openPayoutSigner(config))
}

/** The steps of callbacks and of submissions to directories, and the calls of the model. Only these steps send requests to URLs that agents choose, and they sign only with the callback ring. */
export async function createCallbackActivities({
  config,
  log,
  db,
}: OfWorker): Promise<CallbackSteps & DirectorySteps & ModelSteps & CounterpartSteps> {
  const keys = await openKeyRings(config)
  // Nothing is sent with a signature whose key is not published.
  await publishKeys(db, keys)
  const hosts = callbackHosts(config)
  const send = createOutgoing(hosts)
  const callbacks = createCallbackSteps({
    db,
    log,
    send,
    keys,
    facts: readCallbackFacts,
    demoReceiver: hosts.demoReceiver,
    posts: config.QUOTA_POSTS_PER_DAY,
  })
  const models = createModelSteps(openModel(config, db, log))
  // A server that any caller may name is reached without the exemptions of callbacks.
  const guarded = createOutgoing({ ownHosts: hosts.ownHosts, exempt: [] })
  const counterparts = createCounterpartSteps({ db, send: guarded })
  const directories = createDirectorySteps({ db, log, send })
  return { ...callbacks, ...directories, ...models, ...counterparts }
}

export type { Deps }
