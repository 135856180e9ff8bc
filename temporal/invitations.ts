import type { Client } from '@temporalio/client'
import type { invitation } from '../workflows/invitation/workflow.ts'
import { wakeSignal } from '../workflows/shared/signals.ts'
import { TASKS_QUEUE } from './queues.ts'
import { tryOnce } from './updates.ts'

export const invitationWorkflowId = (pilotId: string): string => `pilot-${pilotId}`

const optionsOf = (pilotId: string) =>
  ({
    workflowId: invitationWorkflowId(pilotId),
    taskQueue: TASKS_QUEUE,
    args: [pilotId] as [string],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    staticSummary: 'Invitation to a pilot',
  }) as const

/** Starts the workflow of an invitation, or joins its open run. */
async function ensureInvitation(client: Client, pilotId: string): Promise<void> {
  await client.workflow.start<typeof invitation>('invitation', {
    ...optionsOf(pilotId),
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
}

/** Makes the workflow of an invitation read its row and continue, in a new run if none is open. */
export async function wakeInvitation(client: Client, pilotId: string): Promise<void> {
  await client.workflow.signalWithStart<typeof invitation>('invitation', {
    ...optionsOf(pilotId),
    signal: wakeSignal,
    signalArgs: [],
  })
}

/** Tries once to start the workflow and never fails: a worker's sweep starts that of every open invitation. */
export const notifyInvited = (client: Client, pilotId: string): Promise<void> =>
  tryOnce(client, () => ensureInvitation(client, pilotId))

/** Tries once to end the wait of the workflow and never fails: at the latest its timer finds the answer. */
export const notifyAnswered = (client: Client, pilotId: string): Promise<void> =>
  tryOnce(client, () => client.workflow.getHandle(invitationWorkflowId(pilotId)).signal(wakeSignal))
