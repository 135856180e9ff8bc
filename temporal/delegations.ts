import type { Client } from '@temporalio/client'
import type { delegation } from '../workflows/delegation/workflow.ts'
import { TASKS_QUEUE } from './queues.ts'
import { NOTIFY_MS } from './updates.ts'

export const delegationWorkflowId = (actionId: string): string => `delegation-${actionId}`

/** Starts the workflow of a stored action, or joins its open run. */
export async function ensureDelegation(client: Client, actionId: string): Promise<void> {
  await client.workflow.start<typeof delegation>('delegation', {
    workflowId: delegationWorkflowId(actionId),
    taskQueue: TASKS_QUEUE,
    args: [actionId],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Delegated action ${actionId.slice(0, 13)}…`,
  })
}

/** Tries once to start the workflow and never fails: a worker's sweep starts every action that is open. */
export const notifyDelegation = (client: Client, actionId: string): Promise<void> =>
  client
    .withDeadline(Date.now() + NOTIFY_MS, () => ensureDelegation(client, actionId))
    .catch(() => undefined)
