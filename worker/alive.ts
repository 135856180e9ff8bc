import { hostname } from 'node:os'
import { loadConfig } from '../activities/config/config.ts'
import { createTemporalClient } from '../temporal/connection.ts'
import { PAYOUTS_QUEUE, TASKS_QUEUE } from '../temporal/queues.ts'
import { listPollers } from '../temporal/readiness.ts'
import { errorText } from './error-text.ts'

// The health check of a worker's container: exits 0 when a worker of this host polls every task queue that it is to serve.
const config = loadConfig()
const workflowQueues = [PAYOUTS_QUEUE, TASKS_QUEUE]
const { client, close } = createTemporalClient(config)
try {
  for (const queue of config.TASK_QUEUES) {
    const kind = workflowQueues.includes(queue) ? 'workflow' : 'activity'
    const pollers = await listPollers(client, { taskQueue: queue, ms: 3_000, kind })
    if (!pollers.some((identity) => identity.endsWith(`@${hostname()}`)))
      throw new Error(`no worker here polls ${queue}`)
  }
} catch (error) {
  console.error(errorText(error))
  process.exitCode = 1
} finally {
  await close()
}
