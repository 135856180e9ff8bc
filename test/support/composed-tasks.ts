import { NativeConnection, Worker } from '@temporalio/worker'
import { pino } from 'pino'
import { openStore } from '../../activities/container.ts'
import {
  createCallbackActivities,
  createHarnessActivities,
  createTaskActivities,
} from '../../activities/index.ts'
import { CALLBACKS_QUEUE, RUNS_QUEUE, STRANGERS_QUEUE, TASKS_QUEUE } from '../../temporal/queues.ts'
import { createDelegationActivities } from '../../worker/delegation.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { startComposed } from './composed-api.ts'
import { urlAs } from './postgres.ts'
import { quietRuntime } from './quiet.ts'
import { startTemporal } from './temporal.ts'
import { bundleWorkflows } from './workflow-bundle.ts'

/** Two APIs on one Postgres, with a Temporal server and workers that serve tasks, their runs and callbacks. */
export async function startComposedTasks(more: Record<string, string> = {}) {
  quietRuntime()
  const temporal = await startTemporal()
  const [base, os] = await findFree(2)
  const reached = { BASE_URL: `http://127.0.0.1:${base}`, OS_URL: `http://127.0.0.1:${os}` }
  const waits = { UPDATE_WAIT_MS: '40000', DEPENDENCY_TIMEOUT_MS: '20000' }
  const env = { ...reached, ...waits, TEMPORAL_ADDRESS: temporal.address, ...more }
  const apis = await startComposed({ apis: 2, env })
  const config = {
    ...apis.config,
    DATABASE_URL: urlAs('worker', apis.env['DATABASE_URL'] as string),
  }
  const silent = pino({ level: 'silent' })
  const store = openStore(config, 'worker')
  const worker = { config, log: silent, db: store.db }
  const tasks = await createTaskActivities(worker)
  const callbacks = await createCallbackActivities(worker)
  const delegation = await createDelegationActivities(config, silent, store)
  const usual = {
    ...tasks.activities,
    ...callbacks,
    ...delegation.activities,
    ...createHarnessActivities(worker),
  }
  const workflowBundle = await bundleWorkflows()
  const workers = await Promise.all(
    [TASKS_QUEUE, RUNS_QUEUE, STRANGERS_QUEUE, CALLBACKS_QUEUE].map(async (taskQueue) => {
      const connection = await NativeConnection.connect({ address: temporal.address })
      const source = taskQueue === TASKS_QUEUE ? { workflowBundle } : {}
      const worker = await Worker.create({ connection, taskQueue, activities: usual, ...source })
      return { worker, connection, running: worker.run() }
    }),
  )
  return {
    ...apis,
    stop: async () => {
      for (const { worker } of workers) worker.shutdown()
      await Promise.all(workers.map(({ running }) => running))
      await Promise.all(workers.map(({ connection }) => connection.close()))
      await Promise.all([tasks, delegation].map(({ close }) => close()))
      await store.close()
      await apis.stop()
      await temporal.stop()
    },
  }
}
