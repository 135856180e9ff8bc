import { join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker'
import { createTaskActivities } from '../../activities/index.ts'
import { RUNS_QUEUE, TASKS_QUEUE } from '../../temporal/queues.ts'
import { startComposed } from './composed-api.ts'
import { startTemporal } from './temporal.ts'

/** Two APIs on one Postgres, with a Temporal server and workers that serve tasks and their runs. */
export async function startComposedTasks(more: Record<string, string> = {}) {
  const temporal = await startTemporal()
  const env = { TEMPORAL_ADDRESS: temporal.address, UPDATE_WAIT_MS: '40000', DEPENDENCY_TIMEOUT_MS: '20000', ...more }
  const apis = await startComposed({ apis: 2, env })
  const { activities, close } = await createTaskActivities(apis.config)
  const workflowsPath = join(import.meta.dirname, '..', '..', 'workflows', 'index.ts')
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') })
  const workers = await Promise.all(
    [TASKS_QUEUE, RUNS_QUEUE].map(async (taskQueue) => {
      const connection = await NativeConnection.connect({ address: temporal.address })
      const source = taskQueue === TASKS_QUEUE ? { workflowBundle } : {}
      const worker = await Worker.create({ connection, taskQueue, activities, ...source })
      return { worker, connection, running: worker.run() }
    }),
  )
  return {
    ...apis,
    stop: async () => {
      for (const { worker } of workers) worker.shutdown()
      await Promise.all(workers.map(({ running }) => running))
      await Promise.all(workers.map(({ connection }) => connection.close()))
      await close()
      await apis.stop()
      await temporal.stop()
    },
  }
}
