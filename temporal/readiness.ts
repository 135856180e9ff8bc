import { type Client, isGrpcServiceError } from '@temporalio/client'

/** Whether the namespace of the client exists; throws if Temporal does not answer. */
export async function namespaceExists(client: Client, ms: number): Promise<boolean> {
  const { namespace } = client.options
  try {
    await client.connection.withDeadline(Date.now() + ms, () =>
      client.workflowService.describeNamespace({ namespace }),
    )
    return true
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === GRPC_NOT_FOUND) return false
    throw error
  }
}

const GRPC_NOT_FOUND = 5
const taskQueueTypes = { workflow: 1, activity: 2 } as const

type PollerQuery = {
  readonly taskQueue: string
  /** How long Temporal may take to answer. */
  readonly ms: number
  readonly kind: keyof typeof taskQueueTypes
}

/** How many workers polled this queue for workflow tasks in the last minute; throws if Temporal does not answer. */
export async function countPollers(client: Client, taskQueue: string, ms: number): Promise<number> {
  return (await listPollers(client, { taskQueue, ms, kind: 'workflow' })).length
}

/** The identities, such as `1234@host`, of the workers that polled this queue in the last minute. */
export async function listPollers(
  client: Client,
  { taskQueue, ms, kind }: PollerQuery,
): Promise<string[]> {
  const taskQueueType = taskQueueTypes[kind]
  const request = {
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType,
  }
  const answer = await client.connection.withDeadline(Date.now() + ms, () =>
    client.workflowService.describeTaskQueue(request),
  )
  const fresh = Date.now() - 60_000
  return (answer.pollers ?? [])
    .filter((poller) => Number(poller.lastAccessTime?.seconds ?? 0) * 1000 > fresh)
    .map((poller) => poller.identity ?? '')
}
