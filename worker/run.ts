import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Runtime, Worker, type WorkerOptions } from '@temporalio/worker'
import type { Logger } from 'pino'
import { checkStart } from '../activities/build-deps.ts'
import type { Config } from '../activities/config.ts'
import { createActivities, createSigningActivities } from '../activities/index.ts'
import { connectWorker, createTemporalClient } from '../temporal/connection.ts'
import { PAYOUTS_QUEUE, SIGNING_QUEUE } from '../temporal/queues.ts'
import { startSweeper } from '../temporal/sweeper.ts'

/** What a worker may be given beside its configuration; fault tests bring interceptors and workflows with other times. */
export type WorkerExtras = Pick<WorkerOptions, 'interceptors' | 'workflowBundle'>

/** Serves the task queues of the configuration until a signal ends the process; throws when the start is refused. */
export async function runWorker(config: Config, log: Logger, extras: WorkerExtras = {}): Promise<void> {
  await checkStart(config, log)
  Runtime.install({ shutdownSignals: ['SIGTERM', 'SIGINT'], logger: temporalLogger(log) })
  const { workflowBundle, ...rest } = extras
  const workflows = workflowBundle === undefined ? workflowSource() : { workflowBundle }
  const shared = { ...rest, namespace: config.TEMPORAL_NAMESPACE, shutdownGraceTime: '5s' as const }
  const running: Promise<void>[] = []
  const closers: (() => Promise<void>)[] = []

  if (config.TASK_QUEUES.includes(PAYOUTS_QUEUE)) {
    const { deps, activities, close } = await createActivities(config, log)
    const { client, close: closeClient } = createTemporalClient(config)
    const worker = await Worker.create({
      ...shared,
      ...workflows,
      connection: await connectWorker(config),
      taskQueue: PAYOUTS_QUEUE,
      activities,
    })
    const sweeper = startSweeper({ client, db: deps.db, log, config, maintainLane: () => deps.lane.maintain() })
    running.push(worker.run())
    closers.push(() => sweeper.stop(), closeClient, close)
  }
  if (config.TASK_QUEUES.includes(SIGNING_QUEUE)) {
    const { activities, close } = await createSigningActivities(config)
    const worker = await Worker.create({
      ...shared,
      connection: await connectWorker(config),
      taskQueue: SIGNING_QUEUE,
      activities,
    })
    running.push(worker.run())
    closers.push(close)
  }

  log.info({ queues: config.TASK_QUEUES }, 'worker is polling')
  await Promise.all(running)
  for (const close of closers) await close()
}

/** The prebuilt bundle beside this file in production; the sources otherwise. */
function workflowSource(): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  const codePath = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url))
  if (existsSync(codePath)) return { workflowBundle: { codePath } }
  return { workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) }
}

function temporalLogger(log: Logger) {
  const write = (level: string, message: string, meta?: object): void => {
    const known =
      level === 'TRACE' || level === 'DEBUG' ? 'debug' : level === 'INFO' ? 'info' : level === 'WARN' ? 'warn' : 'error'
    log[known](meta ?? {}, message)
  }
  const at = (level: string) => (message: string, meta?: object) => write(level, message, meta)
  return { log: write, trace: at('TRACE'), debug: at('DEBUG'), info: at('INFO'), warn: at('WARN'), error: at('ERROR') }
}
