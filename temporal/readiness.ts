import type { Client } from '@temporalio/client'

/** How many workers polled this queue for workflow tasks in the last minute; throws when Temporal does not answer. */
export async function countPollers(client: Client, taskQueue: string, ms: number): Promise<number> {
  const request = { namespace: client.options.namespace, taskQueue: { name: taskQueue }, taskQueueType: 1 }
  const answer = await client.connection.withDeadline(Date.now() + ms, () =>
    client.workflowService.describeTaskQueue(request),
  )
  const fresh = Date.now() - 60_000
  return (answer.pollers ?? []).filter((poller) => Number(poller.lastAccessTime?.seconds ?? 0) * 1000 > fresh).length
}
