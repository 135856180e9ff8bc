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
import type { Config } from '../activities/config/config.ts'
import { orExit } from '../activities/config/or-exit.ts'
import { checkStart, leaveNewerSchema, openStore } from '../activities/container.ts'
import { logTrace, startTracing } from '../activities/tracing/start.ts'
import { serverOptions } from '../temporal/connection.ts'
import { markOutages } from '../temporal/outages.ts'
import { checkQueues, type TaskQueue } from '../temporal/queues.ts'
import { traceActivity } from '../temporal/tracing.ts'
import { queuesOf } from './queues.ts'

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
async function prepareProcess(config: Config, log: Logger): Promise<ReadonlySet<TaskQueue>> {
  const served = await orExit(async () => {
    const queues = checkQueues(config.TASK_QUEUES)
    await checkStart(config, log)
    return queues
  })
  Runtime.install({
    shutdownSignals: ['SIGTERM', 'SIGINT'],
    logger: temporalLogger(log),
    telemetryOptions: { ...forwarded, ...metricsOf(config) },
  })
  return served
}

/** Serves the task queues of the configuration until a signal ends the process; throws when the start is refused. */
export async function runWorker(
  config: Config,
  log: Logger,
  extras: WorkerExtras = {},
): Promise<void> {
  const served = await prepareProcess(config, log)
  const stopTracing = await startTracing({ config, service: 'worker', log })
  const { workflowBundle, interceptors } = extras
  const workflows = workflowBundle === undefined ? workflowSource() : { workflowBundle }
  const shared = {
    interceptors: withTraces(interceptors, workflows),
    namespace: config.TEMPORAL_NAMESPACE,
    shutdownGraceTime: '5s' as const,
  }
  const store = openStore(config, 'worker')
  const queues = queuesOf({ config, log, store, workflows })
  const workers: Worker[] = []
  const loops = new Set<() => { stop(): Promise<void> }>()
  const closers = new Set<() => Promise<void>>()
  for (const taskQueue of served) {
    const opened = await queues[taskQueue]()
    const connection = await NativeConnection.connect(serverOptions(config))
    workers.push(await Worker.create({ ...shared, ...opened.worker, connection, taskQueue }))
    for (const loop of opened.loops ?? []) loops.add(loop)
    // An open connection keeps the runtime, which forwards its logs, and with it the process.
    for (const close of [...(opened.closers ?? []), () => connection.close()]) closers.add(close)
  }

  // Nothing is polled before everything is open: who polls counts as ready, and what fails until then ends the process.
  const running = [...loops].map((start) => start())
  const polling = workers.map((worker) => worker.run())
  log.info({ queues: config.TASK_QUEUES }, 'worker is polling')
  leaveNewerSchema(store.db, log)
  await Promise.all(polling)
  for (const loop of running) await loop.stop()
  for (const close of [...closers, store.close, stopTracing]) await close()
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
