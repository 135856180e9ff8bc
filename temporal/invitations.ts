import type { Client } from '@temporalio/client'
import type { invitation } from '../workflows/invitation/workflow.ts'
import { wakeSignal } from '../workflows/shared/signals.ts'
import { TASKS_QUEUE } from './queues.ts'
import { NOTIFY_MS } from './updates.ts'

export const invitationWorkflowId = (pilotId: string): string => `pilot-${pilotId}`

/** Starts the workflow of an invitation, or joins its open run. */
export async function ensureInvitation(client: Client, pilotId: string): Promise<void> {
  await client.workflow.start<typeof invitation>('invitation', {
    workflowId: invitationWorkflowId(pilotId),
    taskQueue: TASKS_QUEUE,
    args: [pilotId],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: 'Invitation to a pilot',
  })
}

/** Tries once to start the workflow and never fails: a worker's sweep starts that of every open invitation. */
export const notifyInvited = (client: Client, pilotId: string): Promise<void> =>
  client
    .withDeadline(Date.now() + NOTIFY_MS, () => ensureInvitation(client, pilotId))
    .catch(() => undefined)

/** Tries once to end the wait of the workflow and never fails: at the latest its timer finds the answer. */
export const notifyAnswered = (client: Client, pilotId: string): Promise<void> =>
  client
    .withDeadline(Date.now() + NOTIFY_MS, () =>
      client.workflow.getHandle(invitationWorkflowId(pilotId)).signal(wakeSignal),
    )
    .catch(() => undefined)
