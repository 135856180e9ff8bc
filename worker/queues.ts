import type { WorkerOptions } from '@temporalio/worker'
import type { Logger } from 'pino'
import { logOrigin } from '#domain/log/origin.ts'
import { callbackHosts } from '../activities/callbacks/hosts.ts'
import type { Config } from '../activities/config/config.ts'
import { isOurs, openMoneyDeps, taskDepsOf } from '../activities/container.ts'
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
import { watchWorkflows } from '../temporal/reconciliation.ts'
import { ensureReconciliationSchedule } from '../temporal/schedules.ts'
import { createDelegationActivities } from './delegation.ts'
import { startSweeper } from './sweeper.ts'

/** What the worker of a task queue takes in addition to what all have. */
type Served = Partial<WorkerOptions>
type Process = {
  config: Config
  log: Logger
  store: OpenDatabase
  /** Where the workflows are, for a queue that has some. */
  workflows: Served
}

/**
 * What each task queue is served with, opened when it is asked for, and what several need opened once. `loops` are to be started when
 * all is open, and `closers` called in the end.
 */
export function openQueues({ config, log, store, workflows }: Process) {
  const worker = { config, log, db: store.db }
  const closers: (() => Promise<void>)[] = []
  const loops: (() => { stop(): Promise<void> })[] = []
  const slots = slotsOf(config)
  const payouts = once(async () => {
    const { client, close } = createTemporalClient(config)
    const opened = await createActivities(worker, {
      signs: config.TASK_QUEUES.includes(SIGNING_QUEUE),
      startCallback: (deliveryId) => notifyCallback(client, deliveryId),
    })
    const { closePackages, ...sweeps } = await sweepsOf(config, opened.deps, log)
    loops.push(() => startSweeper({ ...sweeps, client, log, config }))
    closers.push(close, closePackages)
    return { ...opened, client }
  })
  const tasks = once(async () => {
    const { activities, close } = await createTaskActivities(worker)
    closers.push(close)
    return activities
  })
  const runs = async (): Promise<Served> => ({ ...slots.runs, activities: await tasks() })
  const queues: Record<TaskQueue, () => Promise<Served>> = {
    [PAYOUTS_QUEUE]: async () => {
      const { client, payouts: activities } = await payouts()
      await ensureReconciliationSchedule(client, config.RECONCILE_EVERY_MS)
      return { ...workflows, ...slots.payouts, activities }
    },
    [TRANSFERS_QUEUE]: async () => {
      await assertGasAccounts(config)
      const { client, deps, transfers } = await payouts()
      const watch = watchWorkflows(client)
      const reconciliation = await createReconciliationActivities(config, deps, watch)
      return { activities: { ...transfers, ...reconciliation } }
    },
    [TASKS_QUEUE]: async () => {
      const delegation = await createDelegationActivities(config, log, store)
      closers.push(delegation.close)
      const harness = createHarnessActivities({ config, db: store.db })
      const activities = { ...(await tasks()), ...delegation.activities, ...harness }
      return { ...workflows, ...slots.tasks, ...slots.runs, activities }
    },
    [RUNS_QUEUE]: runs,
    [STRANGERS_QUEUE]: runs,
    [SIGNING_QUEUE]: async () => ({ activities: await createSigningActivities(worker) }),
    [CALLBACKS_QUEUE]: async () => ({ activities: await createCallbackActivities(worker) }),
  }
  return { queues, loops, closers }
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
