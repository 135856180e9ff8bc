import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'

/** Queues with workflows; activities alone are on the others. */
const workflowQueues = new Set(['payouts', 'tasks'])

/** Runs workers for every queue with these activities while the work is done. */
export async function withWorkers<T>(
  address: string,
  activities: object,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const workflowsPath = join(import.meta.dirname, '..', '..', 'workflows', 'index.ts')
  const workers = await Promise.all(
    ['payouts', 'signing', 'transfers', 'callbacks', 'tasks', 'runs', 'strangers'].map(
      async (taskQueue) => {
        const connection = await NativeConnection.connect({ address })
        const source = workflowQueues.has(taskQueue) ? { workflowsPath } : {}
        return {
          connection,
          worker: await Worker.create({ connection, taskQueue, ...source, activities }),
        }
      },
    ),
  )
  const connection = await Connection.connect({ address })
  const running = workers.map(({ worker }) => worker.run())
  try {
    return await work(new Client({ connection }))
  } finally {
    for (const { worker } of workers) worker.shutdown()
    await Promise.all(running)
    await Promise.all(
      [connection, ...workers.map((each) => each.connection)].map((each) => each.close()),
    )
  }
}
