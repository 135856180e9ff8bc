import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, isGrpcServiceError } from '@temporalio/client'

/** Whether the namespace of the client exists; throws if Temporal does not answer. */
export async function namespaceExists(client: Client, ms: number): Promise<boolean> {
  const { namespace } = client.options
  const describe = () => client.workflowService.describeNamespace({ namespace })
  return !(await isNotFound(() => client.connection.withDeadline(Date.now() + ms, describe)))
}

/** Makes the namespace of the client, with a retention of 72 hours, and waits until the whole server knows it. */
export async function createNamespace(client: Client, ms: number): Promise<void> {
  const { namespace } = client.options
  if (await namespaceExists(client, ms)) return
  await client.connection.withDeadline(Date.now() + ms, () =>
    client.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: RETENTION_SECONDS as never },
    }),
  )
  const list = () => client.connection.operatorService.listSearchAttributes({ namespace })
  while (await isNotFound(list)) await sleep(500)
}

async function isNotFound(ask: () => Promise<unknown>): Promise<boolean> {
  return await ask().then(
    () => false,
    (error: unknown) => {
      if (isGrpcServiceError(error) && error.code === GRPC_NOT_FOUND) return true
      throw error
    },
  )
}

const RETENTION_SECONDS = 72 * 3_600
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
