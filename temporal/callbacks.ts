import type { Client } from '@temporalio/client'
import { callbackWorkflowId, redeliverSignal } from '../workflows/callback/messages.ts'
import type { callback } from '../workflows/callback/workflow.ts'
import { PAYOUTS_QUEUE } from './queues.ts'

const optionsOf = (deliveryId: string) =>
  ({
    workflowId: callbackWorkflowId(deliveryId),
    taskQueue: PAYOUTS_QUEUE,
    args: [deliveryId] as [string],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    staticSummary: `Callback ${deliveryId.slice(0, 13)}…`,
  }) as const

/** Starts the delivery of a stored callback, or joins its open run. */
export async function ensureCallback(client: Client, deliveryId: string): Promise<void> {
  await client.workflow.start<typeof callback>('callback', {
    ...optionsOf(deliveryId),
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
}

/** Makes the next attempt of a delivery now, in a new run if none is open. */
export async function attemptCallbackNow(client: Client, deliveryId: string): Promise<void> {
  await client.workflow.signalWithStart<typeof callback>('callback', {
    ...optionsOf(deliveryId),
    signal: redeliverSignal,
    signalArgs: [],
  })
}
