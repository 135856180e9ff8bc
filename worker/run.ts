import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  NativeConnection,
  Runtime,
  type RuntimeOptions,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker'
import { type Logger, pino } from 'pino'
import { logOrigin } from '#domain/log/origin.ts'
import { callbackHosts } from '../activities/callbacks/hosts.ts'
import type { Config } from '../activities/config/config.ts'
import { orExit } from '../activities/config/or-exit.ts'
import {
  checkStart,
  isOurs,
  leaveNewerSchema,
  openMoneyDeps,
  openStore,
  taskDepsOf,
} from '../activities/container.ts'
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
import { logTrace, startTracing } from '../activities/tracing/start.ts'
import { openCommerceServices } from '../api/services/commerce/open.ts'
import { notifyCallback } from '../temporal/callbacks.ts'
import { createTemporalClient, serverOptions } from '../temporal/connection.ts'
import { markOutages } from '../temporal/outages.ts'
import {
  CALLBACKS_QUEUE,
  PAYOUTS_QUEUE,
  RUNS_QUEUE,
  refuseQueues,
  SIGNING_QUEUE,
  STRANGERS_QUEUE,
  TASKS_QUEUE,
  TRANSFERS_QUEUE,
} from '../temporal/queues.ts'
import { watchWorkflows } from '../temporal/reconciliation.ts'
import { ensureReconciliationSchedule } from '../temporal/schedules.ts'
import { traceActivity } from '../temporal/trace-activities.ts'
import { createDelegationActivities } from './delegation.ts'
import { startSweeper } from './sweeper.ts'

/** Optional parts of a worker; fault tests set interceptors, and workflows with other times. */
export type WorkerExtras = Pick<WorkerOptions, 'interceptors' | 'workflowBundle'>

/** JSON lines on stdout; Temporal hands over the error of a failed activity as `error`, and the log has to show its reason. */
export function createWorkerLog(config: Pick<Config, 'LOG_LEVEL'>): Logger {
  return pino({
    level: config.LOG_LEVEL,
    name: 'worker',
    serializers: { error: pino.stdSerializers.err },
    mixin: logTrace,
  })
}

/** Refuses a configuration that cannot work, and makes the runtime of Temporal. */
async function prepareProcess(config: Config, log: Logger): Promise<void> {
  await orExit(async () => {
    refuseQueues(config.TASK_QUEUES)
    await checkStart(config, log)
  })
  Runtime.install({
    shutdownSignals: ['SIGTERM', 'SIGINT'],
    logger: temporalLogger(log),
    telemetryOptions: { ...forwarded, ...metricsOf(config) },
  })
}

/** Serves the task queues of the configuration until a signal ends the process; throws when the start is refused. */
export async function runWorker(
  config: Config,
  log: Logger,
  extras: WorkerExtras = {},
): Promise<void> {
  await prepareProcess(config, log)
  const stopTracing = await startTracing({ config, service: 'worker', log })
  const { workflowBundle, interceptors } = extras
  const workflows = workflowBundle === undefined ? workflowSource() : { workflowBundle }
  const shared = {
    interceptors: withTraces(interceptors, workflows),
    namespace: config.TEMPORAL_NAMESPACE,
    shutdownGraceTime: '5s' as const,
  }
  const workers: Worker[] = []
  const store = openStore(config, 'worker')
  const worker = { config, log, db: store.db }
  const closers: (() => Promise<void>)[] = []
  const serves = (queue: string) => config.TASK_QUEUES.includes(queue)
  const serve = async (taskQueue: string, options: Partial<WorkerOptions>) => {
    const connection = await NativeConnection.connect(serverOptions(config))
    // An open connection keeps the runtime, which forwards its logs, and with it the process.
    closers.push(() => connection.close())
    workers.push(await Worker.create({ ...shared, ...options, connection, taskQueue }))
  }
  const loops: (() => { stop(): Promise<void> })[] = []

  if (serves(PAYOUTS_QUEUE) || serves(TRANSFERS_QUEUE)) {
    const { client, close: closeClient } = createTemporalClient(config)
    const startCallback = (deliveryId: string) => notifyCallback(client, deliveryId)
    const options = { signs: serves(SIGNING_QUEUE), startCallback }
    const { deps, payouts, transfers } = await createActivities(worker, options)
    if (serves(TRANSFERS_QUEUE)) {
      await assertGasAccounts(config)
      const reconciliation = await createReconciliationActivities(
        config,
        deps,
        watchWorkflows(client),
      )
      await serve(TRANSFERS_QUEUE, { activities: { ...transfers, ...reconciliation } })
    }
    if (serves(PAYOUTS_QUEUE)) {
      await serve(PAYOUTS_QUEUE, { ...workflows, ...slotsOf(config).payouts, activities: payouts })
      await ensureReconciliationSchedule(client, config.RECONCILE_EVERY_MS)
    }
    const { closePackages, ...sweeps } = await sweepsOf(config, deps, log)
    loops.push(() => startSweeper({ ...sweeps, client, log, config }))
    closers.push(closeClient, closePackages)
  }
  if ([TASKS_QUEUE, RUNS_QUEUE, STRANGERS_QUEUE].some(serves)) {
    const { activities, close } = await createTaskActivities(worker)
    const { tasks, runs } = slotsOf(config)
    if (serves(TASKS_QUEUE)) {
      const more = await openTaskQueue(config, log, store)
      closers.push(more.close)
      const all = { ...activities, ...more.activities }
      await serve(TASKS_QUEUE, { ...workflows, ...tasks, ...runs, activities: all })
    }
    for (const queue of [RUNS_QUEUE, STRANGERS_QUEUE])
      if (serves(queue)) await serve(queue, { ...runs, activities })
    closers.push(close)
  }
  if (serves(SIGNING_QUEUE)) {
    await serve(SIGNING_QUEUE, { activities: await createSigningActivities(worker) })
  }
  if (serves(CALLBACKS_QUEUE)) {
    await serve(CALLBACKS_QUEUE, { activities: await createCallbackActivities(worker) })
  }

  // Nothing is polled before everything is open: who polls counts as ready, and what fails until then ends the process.
  const sweepers = loops.map((start) => start())
  const running = workers.map((worker) => worker.run())
  log.info({ queues: config.TASK_QUEUES }, 'worker is polling')
  leaveNewerSchema(store.db, log)
  await Promise.all(running)
  for (const sweeper of sweepers) await sweeper.stop()
  for (const close of [...closers, store.close, stopTracing]) await close()
}

/** What the queue of tasks serves in addition to their short steps: delegated actions, and tests of this service. */
async function openTaskQueue(config: Config, log: Logger, store: OpenDatabase) {
  const { activities, close } = await createDelegationActivities(config, log, store)
  const harness = createHarnessActivities({ config, db: store.db })
  return { activities: { ...activities, ...harness }, close }
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
  const commerce = openCommerceServices({ ...money, baseUrl: config.BASE_URL, packages, keys })
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

/** Temporal's core logs through the log of the worker, as JSON lines. */
const forwarded = {
  logging: { filter: { core: 'INFO', other: 'WARN' }, forward: {} },
} satisfies RuntimeOptions['telemetryOptions']

/** Prometheus metrics of the Temporal SDK, where a port is configured for them. */
function metricsOf(
  config: Pick<Config, 'WORKER_METRICS_PORT' | 'WORKER_METRICS_HOST'>,
): Pick<NonNullable<RuntimeOptions['telemetryOptions']>, 'metrics'> {
  if (config.WORKER_METRICS_PORT === 0) return {}
  const prometheus = {
    bindAddress: `${config.WORKER_METRICS_HOST}:${config.WORKER_METRICS_PORT}`,
    useSecondsForDurations: true,
    unitSuffix: true,
    countersTotalSuffix: true,
  }
  return { metrics: { prometheus } }
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

/** A prebuilt bundle has the interceptors of its workflows. */
function withTraces(
  given: WorkerOptions['interceptors'] | undefined,
  { workflowsPath }: Pick<WorkerOptions, 'workflowsPath'>,
): NonNullable<WorkerOptions['interceptors']> {
  const traces = fileURLToPath(new URL('../workflows/shared/trace.ts', import.meta.url))
  return {
    ...given,
    ...(workflowsPath === undefined ? {} : { workflowModules: [traces] }),
    activity: [traceActivity, markOutages, ...(given?.activity ?? [])],
  }
}

/** The prebuilt bundle in the folder of this file in production; the sources otherwise. */
function workflowSource(): Pick<
  WorkerOptions,
  'workflowBundle' | 'workflowsPath' | 'bundlerOptions'
> {
  const codePath = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url))
  if (existsSync(codePath)) return { workflowBundle: { codePath } }
  const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url))
  return { workflowsPath, bundlerOptions: { preloadModules: [workflowsPath] } }
}

const logLevels: ReadonlyMap<string, 'debug' | 'info' | 'warn'> = new Map([
  ['TRACE', 'debug'],
  ['DEBUG', 'debug'],
  ['INFO', 'info'],
  ['WARN', 'warn'],
])

function temporalLogger(log: Logger) {
  const write = (level: string, message: string, meta?: object): void => {
    const known = logLevels.get(level) ?? 'error'
    log[known](meta ?? {}, message)
  }
  const at = (level: string) => (message: string, meta?: object) => write(level, message, meta)
  return {
    log: write,
    trace: at('TRACE'),
    debug: at('DEBUG'),
    info: at('INFO'),
    warn: at('WARN'),
    error: at('ERROR'),
  }
}
