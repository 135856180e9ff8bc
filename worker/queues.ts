import type { WorkerOptions } from '@temporalio/worker'
import type { Logger } from 'pino'
import { logOrigin } from '#domain/log/origin.ts'
import { callbackHosts } from '../activities/callbacks/hosts.ts'
import type { Config } from '../activities/config/config.ts'
import { isOurs, type OfWorker, openMoneyDeps, taskDepsOf } from '../activities/container.ts'
import { createOutgoing } from '../activities/http/outgoing.ts'
import {
  createActivities,
  createCallbackActivities,
  createHarnessActivities,
  createReconciliationActivities,
  createSigningActivities,
  createTaskActivities,
} from '../activities/index.ts'
import { pushJobs } from '../activities/log/push-checkpoint.ts'
import type { Deps } from '../activities/payouts/deps.ts'
import { openPackageThreads } from '../activities/runs/package-threads.ts'
import { openGasAccounts, openKeyRings } from '../activities/signer/open.ts'
import type { ProofLoopRow } from '../activities/store/commerce/proof-loops.ts'
import { LISTENERS } from '../activities/store/postgres/connections.ts'
import type { OpenDatabase } from '../activities/store/postgres/db.ts'
import { openCommerce } from '../api/services/commerce/open.ts'
import { openReceipts } from '../api/services/receipts/open.ts'
import { notifyCallback } from '../temporal/callbacks.ts'
import { createTemporalClient } from '../temporal/connection.ts'
import {
  CALLBACKS_QUEUE,
  PAYOUTS_QUEUE,
  RUNS_QUEUE,
  SIGNING_QUEUE,
  STRANGERS_QUEUE,
  TASKS_QUEUE,
  type TaskQueue,
  TRANSFERS_QUEUE,
} from '../temporal/queues.ts'
import { ensureReconciliationSchedule, watchWorkflows } from '../temporal/reconciliation.ts'
import { createDelegationActivities } from './delegation.ts'
import { startSweeper } from './sweeper.ts'

type Loop = () => { stop(): Promise<void> }
type Closer = () => Promise<void>
/** What a task queue is served with: the options of its worker, and what runs with it. Queues may share a loop and what is to be closed. */
type Served = {
  worker: Partial<WorkerOptions>
  /** Started when all queues are open. */
  loops?: readonly Loop[]
  /** Called in the end. */
  closers?: readonly Closer[]
}
type Process = {
  config: Config
  log: Logger
  store: OpenDatabase
  /** Where the workflows are, for a queue that has some. */
  workflows: Partial<WorkerOptions>
}

/** How each task queue is opened; what several need is opened once. */
export function queuesOf({
  config,
  log,
  store,
  workflows,
}: Process): Record<TaskQueue, () => Promise<Served>> {
  const program = { config, log, db: store.db }
  const slots = slotsOf(config)
  const money = once(() => openMoney(program))
  const tasks = once(() => createTaskActivities(program))
  const runs = async (): Promise<Served> => {
    const { activities, close } = await tasks()
    return { worker: { ...slots.runs, activities }, closers: [close] }
  }
  return {
    [PAYOUTS_QUEUE]: async () => {
      const { client, payouts: activities, loops, closers } = await money()
      await ensureReconciliationSchedule(client, config.RECONCILE_EVERY_MS)
      return { worker: { ...workflows, ...slots.payouts, activities }, loops, closers }
    },
    [TRANSFERS_QUEUE]: async () => {
      await assertGasAccounts(config)
      const { client, deps, transfers, loops, closers } = await money()
      const watch = watchWorkflows(client)
      const reconciliation = await createReconciliationActivities(config, deps, watch)
      return { worker: { activities: { ...transfers, ...reconciliation } }, loops, closers }
    },
    [TASKS_QUEUE]: async () => {
      const { activities, close } = await tasks()
      const delegation = await createDelegationActivities(config, log, store)
      const harness = createHarnessActivities(program)
      const all = { ...activities, ...delegation.activities, ...harness }
      return {
        worker: { ...workflows, ...slots.tasks, ...slots.runs, activities: all },
        closers: [close, delegation.close],
      }
    },
    [RUNS_QUEUE]: runs,
    [STRANGERS_QUEUE]: runs,
    [SIGNING_QUEUE]: async () => ({
      worker: { activities: await createSigningActivities(program) },
    }),
    [CALLBACKS_QUEUE]: async () => ({
      worker: { activities: await createCallbackActivities(program) },
    }),
  }
}

/** The steps of payouts and payments, and the sweeper, which runs where either is served. */
async function openMoney(program: OfWorker) {
  const { config, log } = program
  const { client, close } = createTemporalClient(config)
  const opened = await createActivities(program, {
    signs: config.TASK_QUEUES.includes(SIGNING_QUEUE),
    startCallback: (deliveryId) => notifyCallback(client, deliveryId),
  })
  const { closePackages, ...sweeps } = await sweepsOf(config, opened.deps, log)
  const loops: Loop[] = [() => startSweeper({ ...sweeps, client, log, config })]
  return { ...opened, client, loops, closers: [close, closePackages] }
}

/** The promise of the first call, for each call. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined
  return () => {
    opened ??= open()
    return opened
  }
}

/** Throws where nothing could submit a transaction. */
async function assertGasAccounts(config: Config): Promise<void> {
  if ((await openGasAccounts(config)).length === 0)
    throw new Error('SIGNER_WALLETS_SOCKET must name a signer with keys that submit transactions')
}

/** What the sweeps of this process work with. */
async function sweepsOf(
  config: Config,
  deps: Pick<Deps, 'db' | 'gasWalletQueue' | 'authority' | 'signReceipt'>,
  log: Logger,
) {
  const { db, gasWalletQueue } = deps
  const keys = await openKeyRings(config)
  const money = await openMoneyDeps(config, deps)
  const packages = openPackageThreads()
  const adapters = { ...money, baseUrl: config.BASE_URL, packages, keys }
  const commerce = openCommerce(adapters, openReceipts(adapters))
  return {
    db,
    money,
    proveLoop: (loop: ProofLoopRow) => commerce.commerceProofs.proveLoop(loop),
    closePackages: packages.close,
    maintainGasWallets: () => gasWalletQueue.maintain(),
    tasks: taskDepsOf(config, keys, db),
    transparencyLog: {
      db,
      keys,
      origin: logOrigin(config.BASE_URL, config.LOG_CONTINUES),
      isOurs,
      log,
    },
    pushes: pushJobs(
      { db, send: createOutgoing(callbackHosts(config)) },
      config.LOG_WITNESSES,
      (witness, pushed) => log.info({ witness, ...pushed }, 'a checkpoint was sent to a witness'),
    ),
  }
}

/**
 * Steps at once. Each needs a connection, and its time runs while it waits for one: with many more steps than connections, all would
 * time out and start again, without end. So a step waits at most for one other, and tasks leave connections to payouts.
 */
function slotsOf({ DATABASE_CONNECTIONS: connections }: Config) {
  const share = (part: number) => Math.max(1, Math.floor((connections - LISTENERS) * part))
  return {
    payouts: { maxConcurrentLocalActivityExecutions: share(0.75) },
    tasks: { maxConcurrentLocalActivityExecutions: share(0.5) },
    /** Steps of runs hold no connection while they compute; delegated actions do for a moment. */
    runs: { maxConcurrentActivityTaskExecutions: Math.max(4, share(0.25)) },
  }
}
